package main

import (
	"strings"
	"time"
)

// The commands of turns, and the life of a turn.

func (s *session) startTurn(c *command) *answer {
	how, _ := c.payload["ifBusy"].(string)
	if s.active != nil && how == "steer" {
		return s.steer(c, object{"turnId": s.active.TurnID, "startedNewTurn": false, "disposition": "steered"})
	}
	idle := s.active == nil && len(s.queue) == 0
	next := &turn{TurnID: c.spelt, CommandID: c.spelt, Place: "last", Prompt: promptOf(c.payload)}
	if text, there := c.payload["displayText"].(string); there {
		next.DisplayText = &text
	}
	ack := object{"turnId": c.spelt, "startedNewTurn": idle, "disposition": "queued"}
	if idle {
		next.Place, ack["disposition"] = "now", "started"
		return s.accept(c, ack, false, append([]record{{Type: "turn", Turn: next}}, s.launch(next)...)...)
	}
	if how == "replace" {
		next.Place = "first"
		s.afterAnswer(func() { s.stop("replaced by a later turn", false) })
	}
	return s.accept(c, ack, false, record{Type: "turn", Turn: next})
}

func (s *session) steer(c *command, ack object) *answer {
	text := promptOf(c.payload)
	message := s.userMessage(s.active.TurnID, c.spelt, text, c.payload["displayText"], object{"steered": true})
	if fault("steer-in-next-turn") {
		s.heldSteer = &message
		return s.accept(c, ack, true)
	}
	if s.run != nil && strings.Trim(text, " \t") != "" {
		s.run.steers = append(s.run.steers, text)
	}
	return s.accept(c, ack, true, message)
}

func (s *session) stopTurn(c *command) *answer {
	target, named := c.payload["turnId"].(string)
	if s.active == nil || named && !strings.EqualFold(s.active.TurnID, target) {
		if named && s.ended[target] != "" {
			return &answer{Reason: "already_terminal"}
		}
		return &answer{Reason: "missing_run"}
	}
	running, retract := s.active, c.payload["retract"] == true
	s.afterAnswer(func() {
		if s.active == running {
			s.stop("stopped by the client", retract)
		}
	})
	return &answer{Ack: object{"turnId": running.TurnID}}
}

func (s *session) unqueue(c *command) *answer {
	target := c.payload["turnId"].(string)
	if i := s.queued(target); i >= 0 {
		waiting := s.queue[i]
		settled := record{Type: "settled", ID: idKey(waiting.CommandID)}
		told := s.event("turn/unqueued", object{"turnId": waiting.TurnID, "commandId": waiting.CommandID}, "")
		return s.accept(c, object{"turnId": waiting.TurnID}, true, settled, told)
	}
	runs := s.active != nil && strings.EqualFold(s.active.TurnID, target)
	if runs && fault("unqueue-cancels") {
		s.afterAnswer(func() { s.stop("unqueued", false) })
	}
	if runs || s.ended[target] == "completed" {
		return s.reject(c, "turn_already_started")
	}
	return s.reject(c, "missing_run")
}

// launch gives the records of a launch: the turn begins, or it ends without having begun.
func (s *session) launch(t *turn) []record {
	steps := parse(t.Prompt)
	if len(steps) == 1 && steps[0].word == "fail-launch" {
		reason := "the script says /fail-launch"
		error := object{"kind": "launchError", "message": reason, "retryable": false}
		end := object{"turnId": t.TurnID, "terminal": "failed", "reason": reason, "error": error}
		settled := record{Type: "settled", ID: idKey(t.CommandID)}
		if t.Place != "now" {
			// The ack of a turn that waited said that it would run.
			settled.Answer = &answer{Reason: "deferred_start_failed"}
		}
		return []record{s.event("turn/completed", end, t.TurnID), settled}
	}
	s.run = &run{turnID: t.TurnID, steps: steps}
	var shown any
	if t.DisplayText != nil {
		shown = *t.DisplayText
	}
	records := []record{
		s.event("turn/started", object{"turnId": t.TurnID, "commandId": t.CommandID}, t.TurnID),
		s.userMessage(t.TurnID, t.CommandID, t.Prompt, shown, nil),
	}
	if s.heldSteer != nil {
		s.heldSteer.Params["item"].(object)["turnId"] = t.TurnID
		records, s.heldSteer = append(records, *s.heldSteer), nil
	}
	return records
}

// goOn lets the agent do what it can, and launches what waits. It tells nothing: publish does.
func (s *session) goOn() {
	for {
		if s.run != nil {
			s.run.goOn(s)
		}
		if s.active != nil || len(s.queue) == 0 {
			return
		}
		next := s.queue[0]
		if fault("queue-backwards") {
			next = s.queue[len(s.queue)-1]
		}
		s.commit(s.launch(next)...)
	}
}

// say lets the agent say something, in one piece.
func (s *session) say(text string) {
	item := object{"itemId": mintID(), "kind": "agentMessage", "turnId": s.run.turnID}
	begun := with(item, object{"revision": 1, "status": "inProgress", "text": ""})
	s.fleeting("item/started", object{"item": begun})
	s.fleeting("item/delta", object{"itemId": item["itemId"], "field": "text", "delta": text})
	done := with(item, object{"revision": 2, "status": "completed", "recordedAt": stamp(time.Now().UnixMilli()), "text": text})
	s.commit(s.event("item/completed", object{"item": done}, s.run.turnID))
}

// end is the end of the turn that runs. what: its error, without the message.
func (s *session) end(terminal, reason string, what object, more ...record) {
	over := s.active
	s.run = nil
	end := object{"turnId": over.TurnID, "terminal": terminal}
	if reason != "" {
		end["reason"] = reason
	}
	if what != nil {
		end["error"] = with(what, object{"message": reason})
	}
	entry := []record{s.event("turn/completed", end, over.TurnID), {Type: "settled", ID: idKey(over.CommandID)}}
	s.commit(append(entry, more...)...)
}

func (s *session) stop(reason string, retract bool) {
	if s.active == nil {
		return
	}
	var more []record
	if retract {
		more = s.retracted(s.active)
	}
	s.end("cancelled", reason, nil, more...)
}

// retracted withdraws the user's message, where the agent has said nothing to it.
func (s *session) retracted(t *turn) []record {
	var message object
	spoke := false
	for _, item := range s.items {
		if item["turnId"] == t.TurnID {
			spoke = spoke || item["kind"] == "agentMessage"
			if item["commandId"] == t.CommandID {
				message = item
			}
		}
	}
	told := object{"turnId": t.TurnID, "commandId": t.CommandID, "outcome": "declined"}
	if spoke || message == nil {
		return []record{s.event("turn/retracted", told, "")}
	}
	told["outcome"] = "accepted"
	changes := object{"revision": 2, "recordedAt": stamp(time.Now().UnixMilli()), "retracted": true}
	updated := s.event("item/updated", object{"item": with(message, changes)}, "")
	return []record{s.event("turn/retracted", told, ""), updated}
}

// recover settles what the last host left open: a turn that ran has ended with it, turns that wait go on waiting.
func (s *session) recover() {
	if s.active == nil || fault("recovery-skipped") {
		return
	}
	end := object{"turnId": s.active.TurnID, "terminal": "failed", "reason": "crash"}
	settled := record{Type: "settled", ID: idKey(s.active.CommandID), Answer: &answer{Reason: "abandoned"}}
	s.commit(s.event("turn/completed", end, s.active.TurnID), settled)
	s.outbox = nil
}
