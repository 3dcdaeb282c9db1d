package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// The payload of a command, by which a repeated one is known.

// Values that stand for absence.
var defaults = map[string]object{
	"turn/start":     {"ifBusy": "queue"},
	"turn/interrupt": {"retract": false},
	"session/resume": {"excludeItems": false},
}

// payloadOf gives what counts of a command's params: known members, without what stands for absence.
func payloadOf(name string, params object) (payload object, err *mspError) {
	value, err := known(&schema{Ref: protocol.Methods[name].Params}, params, "")
	if err != nil {
		return nil, err
	}
	payload = value.(object)
	delete(payload, "commandId")
	if name != "session/start" {
		delete(payload, "sessionId")
	}
	for member, preset := range defaults[name] {
		if payload[member] == preset {
			delete(payload, member)
		}
	}
	return payload, nil
}

func known(s *schema, value any, name string) (any, *mspError) {
	if s.Ref != "" {
		return known(protocol.Definitions[s.Ref], value, name)
	}
	for _, arm := range s.AnyOf {
		if check(arm, value, "") == "" {
			return known(arm, value, name)
		}
	}
	switch value := value.(type) {
	case object:
		if s.Properties == nil && s.AdditionalProperties == nil {
			return value, nil
		}
		members := object{}
		for key, member := range value {
			inner := s.Properties[key]
			if inner == nil {
				inner = s.AdditionalProperties
			}
			// Null was allowed by the schema: it stands for absence.
			if inner == nil || member == nil && s.Properties != nil {
				continue
			}
			kept, err := known(inner, member, key)
			if err != nil {
				return nil, err
			}
			members[key] = kept
		}
		return members, nil
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = item
			if s.Items != nil {
				kept, err := known(s.Items, item, name)
				if err != nil {
					return nil, err
				}
				items[i] = kept
			}
		}
		return items, nil
	case json.Number:
		number, err := value.Float64()
		if err != nil || math.Abs(number) > 1<<53-1 {
			return nil, invalidParams(name + " is no number that every peer can tell from others")
		}
		return number + 0, nil
	case string:
		if strings.HasSuffix(name, "Id") && uuid.MatchString(value) {
			return strings.ToLower(value), nil
		}
	}
	return value, nil
}

// signature is one short text for a payload: two commands under one id are the same exactly where it is.
func signature(name string, payload object) string {
	// Members are written in the order of their names.
	text, err := json.Marshal([]any{name, payload})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
