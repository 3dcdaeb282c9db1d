package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What can be asked without changing anything.

func (h *host) read(params object) (object, *mspError) {
	s := h.sessions[sessionKey(params)]
	if s == nil {
		entries := h.store.read(sessionKey(params))
		if entries == nil {
			return nil, refusal("sessionNotFound", "", object{"sessionId": params["sessionId"]})
		}
		s = newSession(entries, nil)
	}
	history := historyOf(s, params["excludeItems"] != false, nil)
	return with(object{"session": s.row(), "viewCursor": s.head(), "history": history}, standing(s)), nil
}

func (h *host) list(params object) (object, *mspError) {
	since := int64(math.MinInt64)
	if given, there := params["updatedAfter"].(string); there {
		moment, err := time.Parse(time.RFC3339, given)
		if err != nil {
			return nil, invalidParams("/updatedAfter must be a time")
		}
		since = moment.UnixMilli()
	}
	keys := h.store.names()
	for key := range h.sessions {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	type place struct {
		cursor string
		row    object
	}
	places := []place{}
	for _, key := range slices.Compact(keys) {
		s := h.sessions[key]
		if s == nil && key != hostLog {
			s = newSession(h.store.read(key), nil)
		}
		if s == nil || s.updatedAt <= since || !passes(s.row(), params) {
			continue
		}
		// The later ones come first, and digits in front keep the order of texts.
		places = append(places, place{fmt.Sprintf("l:%015d:%s", 1e15-1-s.updatedAt, key), s.row()})
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.cursor, b.cursor) })
	if cursor, there := params["cursor"].(string); there {
		if !listCursor.MatchString(cursor) {
			return nil, refusal("notFound", "there is no such place", object{"reason": "missingAnchor"})
		}
		places = slices.DeleteFunc(places, func(p place) bool { return p.cursor <= cursor })
	}
	result := object{"sessions": []object{}, "nextCursor": nil}
	limit := intOf(params["limit"], 50)
	for i := 0; i < len(places) && i < limit; i++ {
		result["sessions"] = append(result["sessions"].([]object), places[i].row)
		if i == limit-1 && i < len(places)-1 {
			result["nextCursor"] = places[i].cursor
		}
	}
	if chosen, there := params["filter"]; there {
		result["appliedFilter"] = chosen
	}
	return result, nil
}

var listCursor = regexp.MustCompile(`^l:\d{15}:[0-9a-f-]{36}$`)

// passes says whether a row is one that a list was asked for.
func passes(row, params object) bool {
	if root := params["workspaceRoot"]; root != nil && root != row["workspaceRoot"] {
		return false
	}
	chosen, _ := params["filter"].(object)
	if ids, there := chosen["sessionId"].(object); there {
		same := func(id any) bool { return strings.EqualFold(id.(string), row["sessionId"].(string)) }
		if !slices.ContainsFunc(ids["anyOf"].([]any), same) {
			return false
		}
	}
	if branch, there := chosen["branch"].(object); there && !slices.Contains(branch["anyOf"].([]any), nil) {
		return false
	}
	text, there := chosen["text"].(object)
	if !there {
		return true
	}
	shown := ""
	for _, field := range text["fields"].([]any) {
		value, _ := row[field.(string)].(string)
		shown += strings.ToLower(value) + "\n"
	}
	has := func(word any) bool { return strings.Contains(shown, strings.ToLower(word.(string))) }
	lacks := func(word any) bool { return !has(word) }
	all, _ := text["allOf"].([]any)
	any, wanted := text["anyOf"].([]any)
	return !slices.ContainsFunc(all, lacks) && (!wanted || slices.ContainsFunc(any, has))
}

func intOf(value any, otherwise int) int {
	number, there := value.(json.Number)
	if !there {
		return otherwise
	}
	float, _ := number.Float64()
	return int(math.Max(0, float))
}

func (h *host) subscribe(c *connection, params object) (object, *mspError) {
	s, err := h.loaded(params)
	if err != nil {
		return nil, err
	}
	start := len(s.events)
	if after, there := params["after"].(string); there {
		if start, err = s.place(after); err != nil {
			return nil, err
		}
	}
	delete(s.listeners, c)
	s.listen(c, start)
	return object{"viewCursor": s.head()}, nil
}

func (h *host) page(params object) (object, *mspError) {
	s, err := h.loaded(params)
	if err != nil {
		return nil, err
	}
	cursor, named := params["cursor"].(string)
	if anchor, there := params["anchor"]; there {
		if named {
			return nil, invalidParams("cursor and anchor must not both be there")
		}
		return nil, refusal("noBoundary", "", object{"anchor": anchor, "latestBoundaryCursor": nil})
	}
	forward := params["direction"] != "backward"
	events := slices.Clone(s.events)
	if named {
		place, err := s.place(cursor)
		if err != nil {
			return nil, err
		}
		if forward {
			events = events[place:]
		} else {
			events = events[:max(0, place-1)]
		}
	}
	if !forward {
		slices.Reverse(events)
	}
	page := []object{}
	room := maxFrameBytes - 4096
	for _, event := range events[:min(len(events), intOf(params["limit"], 0))] {
		text, err := json.Marshal(event.params)
		must(err)
		if room -= len(text) + 100; room < 0 && len(page) > 0 {
			break
		}
		page = append(page, object{"method": event.method, "params": event.params})
	}
	result := object{"events": page, "nextCursor": nil}
	if len(page) < len(events) {
		result["nextCursor"] = page[len(page)-1]["params"].(object)["viewCursor"]
	}
	if !forward {
		slices.Reverse(page)
	}
	return result, nil
}

func historyOf(s *session, exclude bool, preference any) object {
	if exclude {
		return none("excluded")
	}
	snapshot := s.snapshot()
	history := object{"mode": "snapshot", "items": nil, "snapshot": snapshot}
	if preference == "inline" || preference == "anchored" {
		history = object{"mode": "inline", "items": snapshot["state"].(object)["items"], "snapshot": nil}
	}
	text, err := json.Marshal(history)
	must(err)
	if len(text) > maxFrameBytes-16_384 {
		return none("historyBudget")
	}
	return history
}

func none(reason string) object {
	return object{"mode": "none", "items": nil, "snapshot": nil, "noneReason": reason}
}

func standing(s *session) object {
	if s.lastTurn == nil {
		return object{"pendingRequests": []any{}}
	}
	return object{"pendingRequests": []any{}, "lastTurn": s.lastTurn}
}
