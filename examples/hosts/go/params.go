package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// What params must be: by their schema, and by what the protocol says in words.

// checkParams refuses params in the protocol's order: gates, capabilities, schema, rules in words.
func checkParams(name string, row *method, params object) *mspError {
	for _, capability := range []bool{false, true} {
		for _, gate := range row.Gates {
			if !has(params, gate.Path) || (gate.Capability != "") != capability {
				continue
			}
			if capability {
				return refusal("capabilityRequired", gate.Path+" needs a grant", object{"capability": gate.Capability})
			}
			found := refusal("experimentalRequired", gate.Path+" is experimental", object{"descriptor": gate.Descriptor})
			found.Code = protocol.Errors["invalidParams"]
			return found
		}
	}
	found := check(&schema{Ref: row.Params}, params, "")
	if found == "" && row.Strict {
		for member := range params {
			if protocol.Definitions[row.Params].Properties[member] == nil {
				found = "/" + member + " is not known"
			}
		}
	}
	if found == "" {
		found = checkWords(name, params)
	}
	if found != "" {
		return invalidParams(found)
	}
	return nil
}

func has(value any, path string) bool {
	for _, name := range strings.Split(path, "/")[1:] {
		members, _ := value.(object)
		inner, there := members[name]
		if !there {
			return false
		}
		value = inner
	}
	return true
}

// check says why a value does not fit a schema; nothing where it does.
func check(s *schema, value any, at string) string {
	if s.Ref != "" {
		return check(protocol.Definitions[s.Ref], value, at)
	}
	if s.AnyOf != nil {
		for _, arm := range s.AnyOf {
			if check(arm, value, at) == "" {
				return ""
			}
		}
		return at + " fits none of what may stand there"
	}
	if !slices.ContainsFunc(s.Type, func(kind string) bool { return is(kind, value) }) {
		return at + " must be " + strings.Join(s.Type, " or ")
	}
	switch value := value.(type) {
	case string:
		if s.Enum != nil && !slices.Contains(s.Enum, value) || s.Const != nil && s.Const != value {
			return at + " must be one of its words"
		}
		if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(value) {
			return at + " must match " + s.Pattern
		}
	case json.Number:
		number, _ := value.Float64()
		if s.Minimum != nil && number < *s.Minimum || s.Maximum != nil && number > *s.Maximum {
			return at + " is out of bounds"
		}
	case []any:
		for i, item := range value {
			if found := s.Items; found != nil {
				if wrong := check(found, item, fmt.Sprintf("%s/%d", at, i)); wrong != "" {
					return wrong
				}
			}
		}
	case object:
		return checkMembers(s, value, at)
	}
	return ""
}

func checkMembers(s *schema, value object, at string) string {
	for _, name := range s.Required {
		if _, there := value[name]; !there {
			return at + "/" + name + " must be there"
		}
	}
	for name, others := range s.DependentRequired {
		for _, other := range others {
			_, one := value[name]
			if _, both := value[other]; one && !both {
				return at + "/" + name + " must not be there alone"
			}
		}
	}
	for name, member := range value {
		inner := s.Properties[name]
		if inner == nil {
			inner = s.AdditionalProperties
		}
		if inner != nil {
			if found := check(inner, member, at+"/"+name); found != "" {
				return found
			}
		}
	}
	return ""
}

func is(kind string, value any) bool {
	switch value := value.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case nil:
		return kind == "null"
	case []any:
		return kind == "array"
	case object:
		return kind == "object"
	case json.Number:
		number, err := value.Float64()
		return kind == "number" || kind == "integer" && (err != nil || number == math.Trunc(number))
	}
	return false
}

// checkWords says what is wrong by what the protocol says in words only.
func checkWords(name string, params object) string {
	if id, there := params["commandId"].(string); there && !commandID.MatchString(id) {
		return "/commandId must be a UUID of version 7"
	}
	for _, member := range []string{"sessionId", "turnId", "expectedTurnId"} {
		if id, there := params[member].(string); there && !uuid.MatchString(id) {
			return "/" + member + " must be a UUID"
		}
	}
	if input, there := params["input"].([]any); there {
		if len(input) == 0 {
			return "/input must not be empty"
		}
		if found := checkParts(name, input); found != "" {
			return found
		}
	}
	roots, there := params["workspaceRoots"].([]any)
	if there && len(roots) == 0 {
		return "/workspaceRoots must not be empty"
	}
	if there && params["ifBusy"] == "steer" {
		return "/workspaceRoots must not be there when the turn steers"
	}
	if text, there := params["name"].(string); there && strings.TrimSpace(text) == "" {
		return "/name must not be empty"
	}
	return ""
}

func checkParts(name string, input []any) string {
	needed := map[any][]string{
		"text": {"text"}, "image": {"mediaType", "base64Data"}, "skill": {"selector"}, "video": {"uploadId"},
	}
	count := map[any]int{}
	for i, value := range input {
		part := value.(object)
		count[part["type"]]++
		for _, member := range needed[part["type"]] {
			if _, there := part[member]; !there {
				return fmt.Sprintf("/input/%d/%s must be there", i, member)
			}
		}
		if data, _ := part["base64Data"].(string); part["type"] == "image" && !base64.MatchString(data) {
			return fmt.Sprintf("/input/%d/base64Data must be base64, and not empty", i)
		}
	}
	if count["skill"] > 0 && (name != "turn/start" || count["skill"] > 1 || count["text"]+count["video"] > 0) {
		return "/input must not have the skill there"
	}
	return ""
}
