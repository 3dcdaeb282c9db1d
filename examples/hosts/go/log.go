package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// record says that something happened. Which members it has depends on its type.
type record struct {
	Type      string  `json:"type"` // session, received, settled, turn, event
	At        int64   `json:"at"`   // Unix milliseconds
	ID        string  `json:"id,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Answer    *answer `json:"answer,omitempty"`
	Session   *about  `json:"session,omitempty"`
	Turn      *turn   `json:"turn,omitempty"`
	Method    string  `json:"method,omitempty"`
	Stream    string  `json:"stream,omitempty"`
	Params    object  `json:"params,omitempty"`
}

// answer is what a command is answered: an ack, or the reason of a rejection.
type answer struct {
	Ack    object `json:"ack,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// folder keeps sessions: one file for each. A line of it is one entry: records that happened together or not at all.
// A nil folder keeps nothing.
type folder struct {
	path string
	lock *os.File
}

// openFolder takes a folder for this process alone. The system frees it when the process ends, however it does.
func openFolder(path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	lock, err := os.Create(filepath.Join(path, "lock"))
	if err != nil {
		return nil, err
	}
	return &folder{path, lock}, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name+".log") }

func (f *folder) names() (names []string) {
	if f == nil {
		return nil
	}
	files, _ := filepath.Glob(f.file("*"))
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".log"))
	}
	return names
}

// create makes a log with its first entry; it is there with it or not at all.
func (f *folder) create(name string, entry []record) *log {
	if f == nil {
		return &log{}
	}
	draft := f.file(name) + ".new"
	file, err := os.Create(draft)
	must(err)
	_, err = file.Write(lineOf(entry))
	must(err)
	must(file.Sync())
	must(file.Close())
	must(os.Rename(draft, f.file(name)))
	directory, err := os.Open(f.path)
	must(err)
	must(directory.Sync())
	must(directory.Close())
	return f.open(name)
}

// read gives the entries of a log; nil where there is none. A torn end was never acked: it does not count.
func (f *folder) read(name string) (entries [][]record) {
	if f == nil {
		return nil
	}
	text, err := os.ReadFile(f.file(name))
	if os.IsNotExist(err) {
		return nil
	}
	must(err)
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var entry []record
		must(json.Unmarshal(line, &entry))
		entries = append(entries, entry)
	}
	return entries
}

// open gives a log to append to, without its torn end.
func (f *folder) open(name string) *log {
	text, err := os.ReadFile(f.file(name))
	must(err)
	must(os.Truncate(f.file(name), int64(bytes.LastIndexByte(text, '\n')+1)))
	file, err := os.OpenFile(f.file(name), os.O_WRONLY|os.O_APPEND, 0)
	must(err)
	return &log{f.file(name), file}
}

// log is where the records of a session go. One without a file keeps nothing.
type log struct {
	path string
	file *os.File
}

// append adds an entry. When it returns, the entry is durable.
func (l *log) append(entry []record) {
	if l.file == nil {
		return
	}
	_, err := l.file.Write(lineOf(entry))
	must(err)
	must(l.file.Sync())
}

func lineOf(entry []record) []byte {
	line, err := json.Marshal(entry)
	must(err)
	return append(line, '\n')
}

// must ends the host where the disk fails: what it does not know to be durable it must not ack.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
