package main

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/subtle"
	stdbase64 "encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// A WebSocket server (RFC 6455) as small as it can be: one message is one frame or more of the protocol.

const acceptKey = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// serveWebSocket listens, and prints its address as the first line of standard output. Clients must know the token of
// MSPKIT_TOKEN; pages of browsers are not let in.
func serveWebSocket(h *host, address string, work chan<- func()) error {
	where, err := url.Parse(address)
	if err != nil || where.Scheme != "ws" {
		return fmt.Errorf("--listen takes ws://HOST:PORT, not %s", address)
	}
	token := os.Getenv("MSPKIT_TOKEN")
	if token == "" {
		return errors.New("MSPKIT_TOKEN must have the token that clients are to know")
	}
	listener, err := net.Listen("tcp", where.Host)
	if err != nil {
		return err
	}
	fmt.Println("ws://" + listener.Addr().String())
	go func() {
		must(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wanted := "mspkit.token." + token
			switch {
			case r.Header.Get("Origin") != "":
				http.Error(w, "pages are not let in", http.StatusForbidden)
			case !strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
				http.Error(w, "this is a WebSocket", http.StatusUpgradeRequired)
			case !offers(r.Header.Get("Sec-WebSocket-Protocol"), wanted):
				http.Error(w, "the token is missing", http.StatusUnauthorized)
			default:
				serveClient(h, w, r.Header.Get("Sec-WebSocket-Key"), wanted, work)
			}
		})))
	}()
	return nil
}

// offers says whether a token is offered. It takes as long for a wrong one as for the right one.
func offers(offered, wanted string) bool {
	for _, each := range strings.Split(offered, ",") {
		if subtle.ConstantTimeCompare([]byte(strings.TrimSpace(each)), []byte(wanted)) == 1 {
			return true
		}
	}
	return false
}

func serveClient(h *host, w http.ResponseWriter, key, protocol string, work chan<- func()) {
	socket, stream, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer socket.Close()
	hash := sha1.Sum([]byte(key + acceptKey))
	fmt.Fprintf(stream, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
		stdbase64.StdEncoding.EncodeToString(hash[:]), protocol)
	if stream.Flush() != nil {
		return
	}
	// A client that does not read is let go: nobody else waits for it.
	out := make(chan []byte, 10_000)
	c := &connection{}
	c.write = func(line []byte) {
		select {
		case out <- message(1, line):
		default:
			socket.Close()
		}
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		for each := range out {
			if _, err := socket.Write(each); err != nil {
				socket.Close()
			}
		}
	}()
	work <- func() { h.connections[c] = true }
	readMessages(stream.Reader, func(line []byte, tooLong bool) {
		work <- func() {
			if tooLong {
				h.refuseLong(c, line)
			} else {
				h.take(c, line)
			}
		}
	}, func(code byte, body []byte) {
		work <- func() { out <- message(code, body) }
	})
	work <- func() {
		h.leave(c)
		close(out)
	}
	<-written
}

// message writes a message: 1 is a text, 8 a close, 10 the answer to a ping.
func message(code byte, body []byte) []byte {
	head := []byte{0x80 | code}
	switch {
	case len(body) < 126:
		head = append(head, byte(len(body)))
	case len(body) < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(len(body)))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(len(body)))
	}
	return append(head, body...)
}

// readMessages reads until the client closes. Messages may come in parts, and a ping between them.
func readMessages(from *bufio.Reader, take func(line []byte, tooLong bool), reply func(code byte, body []byte)) {
	var body []byte
	for {
		final, code, part, err := readPart(from)
		if err != nil {
			return
		}
		switch code {
		case 8:
			reply(8, part)
			return
		case 9:
			reply(10, part)
			continue
		case 10:
			continue
		}
		body = append(body, part...)
		if len(body) > 2*maxFrameBytes {
			return
		}
		if final {
			readLines(bytes.NewReader(body), take)
			body = nil
		}
	}
}

func readPart(from *bufio.Reader) (final bool, code byte, body []byte, err error) {
	head := make([]byte, 2, 14)
	if _, err = io.ReadFull(from, head); err != nil {
		return
	}
	size, more := uint64(head[1]&0x7f), 0
	switch size {
	case 126:
		more = 2
	case 127:
		more = 8
	}
	rest := make([]byte, more+4)
	if head[1]&0x80 == 0 {
		return false, 0, nil, errors.New("what a client sends is masked")
	}
	if _, err = io.ReadFull(from, rest); err != nil {
		return
	}
	if more > 0 {
		size = 0
		for _, each := range rest[:more] {
			size = size<<8 | uint64(each)
		}
	}
	if size > 2*maxFrameBytes {
		return false, 0, nil, errors.New("a message is too long")
	}
	body = make([]byte, size)
	_, err = io.ReadFull(from, body)
	for i := range body {
		body[i] ^= rest[more+i%4]
	}
	return head[0]&0x80 != 0, head[0] & 0x0f, body, err
}
