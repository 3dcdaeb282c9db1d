package main

import (
	"strconv"
	"strings"
	"time"
)

// What clients see of a session: events with their cursors, its row, its snapshot.

// stamp writes a time, Unix milliseconds, as the protocol writes times.
func stamp(at int64) string { return time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *session) cursor(number int) string {
	return "v:" + s.about.SessionID + ":" + strconv.Itoa(number)
}

func (s *session) head() string { return s.cursor(len(s.events)) }

// place gives the number of the event that a cursor is after.
func (s *session) place(cursor string) (int, *mspError) {
	rest, ours := strings.CutPrefix(cursor, "v:"+s.about.SessionID+":")
	whole, fragment, split := strings.Cut(rest, ".")
	number, err := strconv.ParseUint(whole, 10, 31)
	_, wrong := strconv.ParseUint(fragment, 10, 31)
	if !ours || err != nil || int(number) > len(s.events) || split && wrong != nil {
		data := object{"reason": "missingAnchor", "sessionId": s.about.SessionID}
		return 0, refusal("notFound", "there is no such place", data)
	}
	return int(number), nil
}

// fleeting tells an event that nobody keeps: its cursor is a fraction of a place.
func (s *session) fleeting(method string, params object) {
	s.fragments++
	cursor := s.head() + "." + strconv.Itoa(s.fragments)
	all := with(object{"sessionId": s.about.SessionID, "viewCursor": cursor}, params)
	s.outbox = append(s.outbox, event{method, all, time.Now().UnixMilli()})
}

// publish tells everybody who listens what happened since the last time.
func (s *session) publish() {
	told := s.outbox
	s.outbox = nil
	for listener := range s.listeners {
		for _, event := range told {
			listener.notify(event)
		}
	}
}

// listen lets a connection listen, from an event on; what was before it goes out after the answer.
func (s *session) listen(c *connection, start int) {
	if s.listeners[c] {
		return
	}
	missed := s.events[start:]
	s.listeners[c] = true
	s.afterAnswer(func() {
		for _, event := range missed {
			c.notify(event)
		}
	})
}

// row describes the session.
func (s *session) row() object {
	row := object{
		"sessionId": s.about.SessionID, "status": "idle", "turnCount": s.turnCount, "path": "",
		"createdAt": stamp(s.createdAt), "updatedAt": stamp(s.updatedAt), "workspaceRoot": s.about.WorkspaceRoot,
		"providerId": s.about.ProviderID, "modelId": s.about.ModelID, "approvalMode": s.approvalMode(),
		"forkedFrom": nil, "activeTurnId": nil,
	}
	if s.log == nil {
		row["status"] = "notLoaded"
	} else {
		row["path"] = s.log.path
		if s.active != nil {
			row["status"], row["activeTurnId"] = "running", s.active.TurnID
		}
	}
	if s.firstPrompt != "" {
		row["firstUserPrompt"] = s.firstPrompt
	}
	if s.name != "" {
		row["name"], row["nameOrigin"] = s.name, "custom"
	}
	return row
}

func (s *session) approvalMode() object {
	return object{"mode": s.about.ApprovalMode, "source": "startup", "lastCommandId": nil}
}

// snapshot is all that a client that joins now must know.
func (s *session) snapshot() object {
	reference := func(t *turn) object {
		shown := t.Prompt
		if t.DisplayText != nil {
			shown = *t.DisplayText
		}
		return object{"turnId": t.TurnID, "commandId": t.CommandID, "displayText": shown}
	}
	queued := []object{}
	for _, t := range s.queue {
		if !fault("snapshot-without-queue") {
			queued = append(queued, reference(t))
		}
	}
	state := object{
		"items": append([]object{}, s.items...), "activeTurn": nil, "queuedTurns": queued,
		"pendingApprovals": []any{}, "pendingUserInputs": []any{}, "approvalMode": s.approvalMode(),
		"effectiveModel": object{"modelId": s.about.ModelID, "providerId": s.about.ProviderID, "source": "default"},
		"goal":           nil, "todoList": nil, "branch": nil, "turnCount": s.turnCount,
		"tokenUsage": object{"outputTokens": 0, "promptTokens": 0, "totalTokens": 0},
	}
	if s.active != nil {
		state["activeTurn"] = reference(s.active)
	}
	if s.name != "" {
		state["name"] = s.name
	}
	return object{"schemaVersion": 1, "viewCursor": s.head(), "state": state}
}
