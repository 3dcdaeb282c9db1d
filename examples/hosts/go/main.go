// A host of the Muse Session Protocol on nothing but Go's standard library: on standard streams, or on a WebSocket.
//
//	go run . [--log DIR] [--listen ws://127.0.0.1:0] [--fault NAME]
//
// With --log it is durable, without it is ephemeral.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	logs := flag.String("log", "", "the folder of a durable host")
	listen := flag.String("listen", "", "a ws:// address to listen on, in place of standard streams")
	flag.StringVar(&chosenFault, "fault", "", "a fault to switch on")
	flag.Parse()
	if _, known := faults[chosenFault]; flag.NArg() > 0 || chosenFault != "" && !known {
		flag.Usage()
		os.Exit(2)
	}
	var store *folder
	if *logs != "" {
		path, err := filepath.Abs(*logs)
		must(err)
		if store, err = openFolder(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(4)
		}
	}
	h := newHost(store)
	work := make(chan func())
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGTERM)
	if *listen == "" {
		go serveStreams(h, work, over)
	} else if err := serveWebSocket(h, *listen, work); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	for {
		select {
		case action := <-work:
			action()
		case <-h.wake.C:
			h.settle()
		case <-over:
			h.shutDown()
			return
		}
	}
}

// shutDown ends in order: turns that run are cancelled, those that wait are left to the next host.
func (h *host) shutDown() {
	for _, s := range h.sessions {
		s.stop("the host shuts down", false)
	}
	h.publish()
}

// serveStreams reads standard input to its end, and with it ends the host.
func serveStreams(h *host, work chan<- func(), over chan<- os.Signal) {
	c := &connection{write: func(line []byte) { _, _ = os.Stdout.Write(line) }}
	work <- func() { h.connections[c] = true }
	readLines(os.Stdin, func(line []byte, tooLong bool) {
		work <- func() {
			if tooLong {
				h.refuseLong(c, line)
			} else {
				h.take(c, line)
			}
		}
	})
	over <- syscall.SIGTERM
}

// readLines reads lines to the end. Of one that is too long only the start is kept.
func readLines(from io.Reader, take func(line []byte, tooLong bool)) {
	reader := bufio.NewReaderSize(from, 65_536)
	var line []byte
	dropped := false
	for {
		part, err := reader.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if !dropped {
			line = append(line, part...)
		}
		if !dropped && len(line) > maxFrameBytes {
			line, dropped = line[:1000], true
		}
		if ended || err != bufio.ErrBufferFull {
			if len(line) > 0 {
				take(line, dropped)
			}
			line, dropped = nil, false
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}
