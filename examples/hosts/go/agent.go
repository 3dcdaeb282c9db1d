package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// step is something that the scripted test agent does.
type step struct{ word, text string }

var directive = regexp.MustCompile(`^/(say|wait|tool|approve|ask|fail|fail-launch|hang|deaf)([ \t].*)?$`)

func isBlank(line string) bool { return strings.Trim(line, " \t") == "" }

// parse reads the steps of a prompt: what a turn does stands in it.
func parse(prompt string) []step {
	var steps []step
	var text []string
	var malformed *step
	place := -1
	for i, line := range strings.Split(prompt, "\n") {
		line = strings.TrimSuffix(line, "\r")
		found := directive.FindStringSubmatch(line)
		if found == nil {
			if place < 0 && isBlank(line) {
				continue
			}
			if place < 0 {
				place = len(steps)
			}
			text = append(text, line)
			continue
		}
		next := stepOf(found[1], found[2], i+1)
		if next.word == "fail-launch" {
			return []step{next}
		}
		if next.word == "malformed" && malformed == nil {
			malformed = &next
		}
		steps = append(steps, next)
	}
	if malformed != nil {
		return []step{*malformed}
	}
	if place >= 0 {
		for isBlank(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		steps = slices.Insert(steps, place, step{"say", strings.Join(text, "\n")})
	}
	return steps
}

func stepOf(name, rest string, line int) step {
	words := strings.FieldsFunc(rest, func(char rune) bool { return char == ' ' || char == '\t' })
	switch name {
	case "say":
		if !isBlank(rest) {
			return step{name, rest[1:]}
		}
	case "fail", "fail-launch", "hang":
		if len(words) == 0 {
			return step{name, ""}
		}
	case "wait":
		if len(words) == 1 && len(words[0]) <= 10 {
			if ms, err := strconv.ParseUint(words[0], 10, 31); err == nil {
				return step{name, strconv.FormatUint(ms, 10)}
			}
		}
	default:
		return step{"malformed", "this host does not do /" + name}
	}
	return step{"malformed", fmt.Sprintf("line %d of the script is not of its form", line)}
}

// run is a turn at work.
type run struct {
	turnID  string
	steps   []step
	steers  []string
	waits   bool
	wakesAt time.Time // zero: never
}

// goOn does what can be done now. It returns when there is something to wait for, or the turn has ended.
func (r *run) goOn(s *session) {
	for {
		for ; len(r.steers) > 0; r.steers = r.steers[1:] {
			s.say(r.steers[0])
		}
		if r.waits && (r.wakesAt.IsZero() || time.Now().Before(r.wakesAt)) {
			return
		}
		r.waits = false
		if len(r.steps) == 0 {
			s.end("completed", "", nil)
			return
		}
		next := r.steps[0]
		r.steps = r.steps[1:]
		switch next.word {
		case "say":
			s.say(next.text)
		case "wait":
			ms, _ := strconv.Atoi(next.text)
			r.waits, r.wakesAt = true, time.Now().Add(time.Duration(ms)*time.Millisecond)
		case "hang":
			r.waits, r.wakesAt = true, time.Time{}
		case "fail":
			s.end("failed", "the script says /fail", object{"kind": "modelError", "retryable": true})
			return
		default:
			s.end("failed", next.text, object{"kind": "configError", "retryable": false})
			return
		}
	}
}
