package main

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// about is what a session was begun with.
type about struct {
	SessionID     string  `json:"sessionId"`
	WorkspaceRoot string  `json:"workspaceRoot"`
	ApprovalMode  string  `json:"approvalMode"`
	ModelID       string  `json:"modelId"`
	ProviderID    *string `json:"providerId"`
}

// turn is a turn that was promised.
type turn struct {
	TurnID      string  `json:"turnId"`
	CommandID   string  `json:"commandId"`
	Place       string  `json:"place"` // now, last, or first of those that wait
	Prompt      string  `json:"prompt"`
	DisplayText *string `json:"displayText,omitempty"`
}

// row is what is remembered of a command.
type row struct {
	signature string
	answer    answer
	settled   bool
}

// command is a request that changes something, after its params were found to be right.
type command struct {
	method, id, spelt, signature string
	payload                      object
}

// event is an event of the view.
type event struct {
	method string
	params object
	at     int64
}

// session is a session: its state is what its records say, one after the other. To decide a command means to read the
// state and to write records; an entry of records is durable before it is applied, and applied before anybody is told.
type session struct {
	log         *log
	afterAnswer func(func())
	listeners   map[*connection]bool
	outbox      []event
	passing     map[string]*row // commands that are remembered while the host lives
	resumed     map[string]object
	run         *run
	heldSteer   *record

	// What the records say:
	about       *about
	ledger      map[string]*row
	events      []event
	items       []object
	active      *turn
	queue       []*turn
	ended       map[string]string // turns that are over, by id: how
	lastTurn    object
	name        string
	firstPrompt string
	turnCount   int
	createdAt   int64
	updatedAt   int64
	fragments   int
	sequences   map[string]int
}

func newSession(entries [][]record, afterAnswer func(func())) *session {
	s := &session{
		afterAnswer: afterAnswer, listeners: map[*connection]bool{}, passing: map[string]*row{},
		resumed: map[string]object{}, ledger: map[string]*row{}, ended: map[string]string{}, sequences: map[string]int{},
	}
	for _, entry := range entries {
		for _, record := range entry {
			if record.Type != "received" && record.Type != "settled" || !fault("dedupe-in-memory") {
				s.apply(record)
			}
		}
	}
	return s
}

// commit makes records durable, then applies them.
func (s *session) commit(entry ...record) {
	at := time.Now().UnixMilli()
	for i := range entry {
		entry[i].At = at
	}
	s.log.append(entry)
	for _, record := range entry {
		before := len(s.events)
		s.apply(record)
		s.outbox = append(s.outbox, s.events[before:]...)
	}
}

func (s *session) apply(r record) {
	s.updatedAt = r.At
	switch r.Type {
	case "session":
		s.about, s.createdAt = r.Session, r.At
	case "received":
		s.ledger[r.ID] = &row{signature: r.Signature, answer: *r.Answer}
	case "settled":
		if found := s.ledger[r.ID]; found != nil {
			found.settled = true
			if r.Answer != nil {
				found.answer = *r.Answer
			}
		}
	case "turn":
		switch r.Turn.Place {
		case "now":
			s.active = r.Turn
		case "first":
			s.queue = slices.Insert(s.queue, 0, r.Turn)
		default:
			s.queue = append(s.queue, r.Turn)
		}
	case "event":
		s.applyEvent(r)
	}
}

func (s *session) applyEvent(r record) {
	number := len(s.events) + 1
	s.sequences[r.Stream]++
	place := object{"id": "r" + strconv.Itoa(number), "sequence": s.sequences[r.Stream]}
	kind := "run"
	if r.Stream == s.about.SessionID {
		kind = "session"
	}
	params := object{
		"sessionId":   s.about.SessionID,
		"viewCursor":  s.cursor(number),
		"sourceRange": object{"stream": object{"kind": kind, "id": r.Stream}, "first": place, "last": place},
	}
	for name, value := range r.Params {
		params[name] = value
	}
	s.events = append(s.events, event{r.Method, params, r.At})
	s.fragments = 0
	turnID, _ := params["turnId"].(string)
	switch r.Method {
	case "turn/started":
		if i := s.queued(turnID); i >= 0 {
			s.active = s.queue[i]
			s.queue = slices.Delete(s.queue, i, i+1)
		}
	case "turn/completed":
		if i := s.queued(turnID); i >= 0 {
			s.queue = slices.Delete(s.queue, i, i+1)
		} else {
			s.active = nil
		}
		s.turnCount++
		s.lastTurn = object{}
		for _, name := range []string{"turnId", "terminal", "reason", "error"} {
			if value, there := params[name]; there {
				s.lastTurn[name] = value
			}
		}
		s.ended[strings.ToLower(turnID)] = "completed"
	case "turn/unqueued":
		i := s.queued(turnID)
		s.queue = slices.Delete(s.queue, i, i+1)
		s.ended[strings.ToLower(turnID)] = "unqueued"
	case "item/completed", "item/updated":
		s.keep(params["item"].(object))
	case "session/nameChanged":
		s.name = params["name"].(string)
	}
}

// queued gives the place of a turn among those that wait; -1 where it does not.
func (s *session) queued(turnID string) int {
	return slices.IndexFunc(s.queue, func(t *turn) bool { return strings.EqualFold(t.TurnID, turnID) })
}

func (s *session) keep(item object) {
	for i, held := range s.items {
		if held["itemId"] == item["itemId"] {
			s.items[i] = item
			return
		}
	}
	s.items = append(s.items, item)
	if item["kind"] == "userMessage" && s.firstPrompt == "" {
		s.firstPrompt = item["text"].(string)
	}
}

// command gives what a command is answered: an ack, or an error where it is rejected or refused.
func (s *session) command(c *command) (object, *mspError) {
	found := s.ledger[c.id]
	if found == nil {
		found = s.passing[c.id]
	}
	if found == nil {
		decided, err := s.decide(c)
		if err != nil {
			return nil, err
		}
		found = &row{signature: c.signature, answer: *decided}
		if protocol.Methods[c.method].Record != "durable" {
			s.passing[c.id] = found
		}
	} else if found.signature != c.signature {
		if fault("conflict-overwrites") {
			found.signature = c.signature
		}
		return nil, rejected(c.method, c.spelt, "command_id_conflict")
	}
	if found.answer.Reason != "" {
		return nil, rejected(c.method, c.spelt, found.answer.Reason)
	}
	ack := object{"commandId": c.spelt, "status": "accepted"}
	for name, value := range found.answer.Ack {
		ack[name] = value
	}
	return ack, nil
}

func (s *session) decide(c *command) (*answer, *mspError) {
	if input, there := c.payload["input"].([]any); there && c.method == "turn/start" {
		if err := s.missingParts(input); err != nil {
			return nil, err
		}
	}
	switch c.method {
	case "turn/start":
		return s.startTurn(c), nil
	case "turn/steer":
		if s.active == nil || !strings.EqualFold(s.active.TurnID, c.payload["expectedTurnId"].(string)) {
			return s.reject(c, "turn_not_running"), nil
		}
		if err := s.missingParts(c.payload["input"].([]any)); err != nil {
			return nil, err
		}
		return s.steer(c, object{"turnId": s.active.TurnID}), nil
	case "turn/interrupt", "turn/cancel":
		return s.stopTurn(c), nil
	case "turn/unqueue":
		return s.unqueue(c), nil
	case "session/rename":
		name := c.payload["name"].(string)
		var changes []record
		if name != s.name {
			changes = append(changes, s.event("session/nameChanged", object{"name": name, "nameOrigin": "custom"}, ""))
		}
		return s.accept(c, object{"name": name}, true, changes...), nil
	}
	return nil, refusal("methodNotFound", c.method+" is not served", nil)
}

// accept takes a command in, together with what it changes.
func (s *session) accept(c *command, ack object, settled bool, changes ...record) *answer {
	answer := &answer{Ack: ack}
	entry := []record{{Type: "received", ID: c.id, Signature: c.signature, Answer: answer}}
	if settled {
		entry = append(entry, record{Type: "settled", ID: c.id})
	}
	s.commit(append(entry, changes...)...)
	return answer
}

// reject takes a command in and rejects it for good.
func (s *session) reject(c *command, reason string) *answer {
	answer := &answer{Reason: reason}
	received := record{Type: "received", ID: c.id, Signature: c.signature, Answer: answer}
	s.commit(received, record{Type: "settled", ID: c.id})
	return answer
}

func (s *session) event(method string, params object, stream string) record {
	if stream == "" {
		stream = s.about.SessionID
	}
	return record{Type: "event", Method: method, Params: params, Stream: stream}
}

func (s *session) userMessage(turnID, commandID, text string, shown any, more object) record {
	item := with(object{
		"itemId": mintID(), "kind": "userMessage", "turnId": turnID, "revision": 1, "status": "completed",
		"recordedAt": stamp(time.Now().UnixMilli()), "text": text, "commandId": commandID,
	}, more)
	if shown != nil {
		item["displayText"] = shown
	}
	return s.event("item/completed", object{"item": item}, turnID)
}

// missingParts refuses parts that name what this host does not have. Found anew each time: it is no rejection.
func (s *session) missingParts(input []any) *mspError {
	for _, value := range input {
		switch part := value.(object); part["type"] {
		case "skill":
			return refusal("skillNotFound", "", object{"sessionId": s.about.SessionID, "selector": part["selector"]})
		case "video":
			return refusal("uploadNotFound", "", object{"sessionId": s.about.SessionID, "uploadId": part["uploadId"]})
		}
	}
	return nil
}

// idKey is what ids are compared by.
func idKey(id string) string {
	if fault("ids-by-letter-case") {
		return id
	}
	return strings.ToLower(id)
}

func promptOf(payload object) string {
	var text strings.Builder
	for _, value := range payload["input"].([]any) {
		if part := value.(object); part["type"] == "text" {
			text.WriteString(part["text"].(string))
		}
	}
	return text.String()
}

// with gives a copy of an object with further members.
func with(members, more object) object {
	all := object{}
	for _, each := range []object{members, more} {
		for name, value := range each {
			all[name] = value
		}
	}
	return all
}
