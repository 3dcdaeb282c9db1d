package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const hostLog = "host"

// host is what all connections have in common. Everything in it happens in one goroutine, one thing after the other.
type host struct {
	store       *folder
	sessions    map[string]*session
	started     map[string]*row // commands that were to begin a session
	rejections  *log
	later       []func()
	connections map[*connection]bool
	wake        *time.Timer
}

// connection is a client.
type connection struct {
	write       func(line []byte)
	greeted     bool
	initialized bool
}

func newHost(store *folder) *host {
	h := &host{
		store: store, sessions: map[string]*session{}, started: map[string]*row{},
		connections: map[*connection]bool{}, wake: time.NewTimer(time.Hour),
	}
	for _, name := range store.names() {
		for _, entry := range store.read(name) {
			if first := entry[0]; first.Type == "session" || name == hostLog {
				h.started[first.ID] = &row{signature: first.Signature, answer: *first.Answer}
			}
		}
	}
	return h
}

// leave forgets a client.
func (h *host) leave(c *connection) {
	delete(h.connections, c)
	for _, s := range h.sessions {
		delete(s.listeners, c)
	}
}

// take takes a line that a client wrote.
func (h *host) take(c *connection, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	value, err := readFrame(line)
	if err != nil {
		c.fail(nil, refusal("parseError", err.Error(), nil))
		return
	}
	frame, isObject := value.(object)
	if !isObject {
		c.fail(nil, refusal("invalidRequest", "a frame is an object", nil))
		return
	}
	id, isRequest := frame["id"]
	name, named := frame["method"].(string)
	_, hasMethod := frame["method"]
	_, hasResult := frame["result"]
	_, hasError := frame["error"]
	if !hasMethod && (hasResult || hasError) {
		return // This host asks nothing, so nothing is an answer.
	}
	if isRequest && !isID(id) {
		c.fail(nil, refusal("invalidRequest", "an id is a text or an integer", nil))
		return
	}
	if frame["jsonrpc"] != "2.0" || !named {
		c.fail(id, refusal("invalidRequest", "a request has jsonrpc 2.0 and a method", nil))
		return
	}
	if !isRequest {
		c.initialized = c.initialized || c.greeted && name == "initialized"
		return
	}
	var params any = object{}
	if given, there := frame["params"]; there {
		params = given
	}
	result, refused := h.dispatch(c, name, params, hasLoneSurrogate(line))
	if refused != nil {
		c.fail(id, refused)
	} else {
		c.send(object{"jsonrpc": "2.0", "id": id, "result": result})
	}
	h.settle()
}

func isID(id any) bool {
	if number, isNumber := id.(json.Number); isNumber {
		_, err := strconv.ParseInt(number.String(), 10, 64)
		return err == nil
	}
	_, isText := id.(string)
	return isText
}

var idInPrefix = regexp.MustCompile(`"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")\s*[,}]`)

// refuseLong refuses a frame that is too long; start is what was kept of it.
func (h *host) refuseLong(c *connection, start []byte) {
	found := idInPrefix.FindSubmatch(start)
	if found == nil {
		c.fail(nil, refusal("parseError", "a frame is too long", nil))
		return
	}
	c.fail(json.RawMessage(found[1]), refusal("inputTooLarge", "a frame is too long", object{"limitBytes": maxFrameBytes}))
}

// settle tells what has happened, and does what was put off until the answer was told.
func (h *host) settle() {
	h.publish()
	for len(h.later) > 0 {
		next := h.later[0]
		h.later = h.later[1:]
		next()
		h.publish()
	}
	h.wake.Reset(time.Hour)
	var first time.Time
	for _, s := range h.sessions {
		s.goOn()
		if s.run != nil && !s.run.wakesAt.IsZero() && (first.IsZero() || s.run.wakesAt.Before(first)) {
			first = s.run.wakesAt
		}
	}
	if !first.IsZero() {
		h.wake.Reset(time.Until(first))
	}
	h.publish()
}

func (h *host) publish() {
	for _, s := range h.sessions {
		s.publish()
	}
}

func (h *host) afterAnswer(action func()) { h.later = append(h.later, action) }

func (c *connection) fail(id any, err *mspError) {
	c.send(object{"jsonrpc": "2.0", "id": id, "error": err})
}

func (c *connection) notify(e event) {
	c.send(object{"jsonrpc": "2.0", "method": e.method, "params": e.params, "emittedAtMs": time.Now().UnixMilli()})
}

func (c *connection) send(frame object) {
	line, err := json.Marshal(frame)
	must(err)
	c.write(append(line, '\n'))
}

func (h *host) dispatch(c *connection, name string, given any, broken bool) (object, *mspError) {
	if name != "initialize" && !c.greeted {
		return nil, refusal("notInitialized", "initialize comes first", nil)
	}
	row := protocol.Methods[name]
	if row != nil && row.Experimental != "" {
		found := refusal("experimentalRequired", name+" is experimental", object{"descriptor": row.Experimental})
		found.Code = protocol.Errors["methodNotFound"]
		return nil, found
	}
	serves := row != nil && row.Params != "" && !strings.HasPrefix(name, "goal/")
	if !serves || row.DurableOnly && h.store == nil {
		return nil, refusal("methodNotFound", name+" is not served", nil)
	}
	params, isObject := given.(object)
	if !isObject {
		return nil, invalidParams("params are an object")
	}
	if row.Record != "" && fault("mints-missing-ids") && params["commandId"] == nil {
		params["commandId"] = mintID()
	}
	if err := checkParams(name, row, params); err != nil {
		return nil, err
	}
	if broken {
		return nil, invalidParams("a text has half of a surrogate pair")
	}
	switch name {
	case "initialize":
		return h.initialize(c)
	case "session/read":
		return h.read(params)
	case "session/list":
		return h.list(params)
	case "view/subscribe":
		return h.subscribe(c, params)
	case "view/unsubscribe":
		if s := h.sessions[sessionKey(params)]; s != nil {
			delete(s.listeners, c)
		}
		return object{}, nil
	case "view/page":
		return h.page(params)
	}
	payload, err := payloadOf(name, params)
	if err != nil {
		return nil, err
	}
	spelt := params["commandId"].(string)
	command := &command{name, idKey(spelt), spelt, signature(name, payload), payload}
	switch name {
	case "session/start":
		return h.start(c, command, params)
	case "session/resume":
		return h.resume(c, command, params)
	}
	s, err := h.loaded(params)
	if err != nil {
		return nil, err
	}
	return s.command(command)
}

func sessionKey(params object) string { return strings.ToLower(params["sessionId"].(string)) }

func (h *host) loaded(params object) (*session, *mspError) {
	if s := h.sessions[sessionKey(params)]; s != nil {
		return s, nil
	}
	kind := "sessionNotFound"
	if h.store.read(sessionKey(params)) != nil {
		kind = "sessionNotLoaded"
	}
	return nil, refusal(kind, "", object{"sessionId": params["sessionId"]})
}

func (h *host) initialize(c *connection) (object, *mspError) {
	if c.greeted {
		return nil, refusal("alreadyInitialized", "", nil)
	}
	c.greeted = true
	home, _ := os.Getwd()
	durability := "ephemeral"
	if h.store != nil {
		home, durability = h.store.path, "durable"
	}
	system := map[string]string{"darwin": "macos", "windows": "windows"}[runtime.GOOS]
	if system == "" {
		system = "linux"
	}
	return object{
		"serverInfo": object{"name": "example_go", "version": "1.0.0"}, "userAgent": "example_go/1.0.0 (" + system + ")",
		"museHome": home, "platformFamily": "unix", "platformOs": system,
		"schema":              object{"version": 1, "fingerprint": protocol.Fingerprint},
		"grantedCapabilities": []string{}, "experimentalApi": false, "sessionDurability": durability,
	}, nil
}
