package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How sessions begin, and how they are loaded.

func (h *host) start(c *connection, command *command, params object) (object, *mspError) {
	known := h.started[command.id]
	if known == nil {
		begun, err := h.begin(command, params)
		if err != nil {
			return nil, err
		}
		known = begun
	} else if known.signature != command.signature {
		return nil, rejected(command.method, command.spelt, "command_id_conflict")
	}
	if known.answer.Reason != "" {
		return nil, rejected(command.method, command.spelt, known.answer.Reason)
	}
	ack := known.answer.Ack
	if s := h.sessions[sessionKey(ack["session"].(object))]; s != nil {
		s.listen(c, 0)
	}
	return ack, nil
}

func (h *host) begin(command *command, params object) (*row, *mspError) {
	root, err := rootOf(params)
	if err != nil {
		return nil, err
	}
	id, chosen := params["sessionId"].(string)
	if !chosen {
		id = mintID()
	}
	key := strings.ToLower(id)
	known := &row{signature: command.signature, settled: true}
	if _, there := params["permissionProfile"]; there {
		known.answer.Reason = "permission_profile_unknown"
		if h.store == nil {
			known.answer.Reason = "permission_profile_ephemeral_fixed"
		}
	} else if h.sessions[key] != nil || h.store.read(key) != nil {
		known.answer.Reason = "session_id_conflict"
	}
	h.started[command.id] = known
	first := record{ID: command.id, Signature: command.signature, Answer: &known.answer, At: time.Now().UnixMilli()}
	if known.answer.Reason != "" {
		h.keepRejection(first)
		return known, nil
	}
	about := &about{SessionID: id, WorkspaceRoot: root, ApprovalMode: "promptUnmatched", ModelID: "scripted"}
	provider := "example"
	about.ProviderID = &provider
	if mode, there := params["approvalMode"].(string); there {
		about.ApprovalMode = mode
	}
	if model, there := params["modelId"].(string); there {
		about.ModelID, about.ProviderID = model, nil
	}
	if provider, there := params["providerId"].(string); there {
		about.ProviderID = &provider
	}
	first.Type, first.Session = "session", about
	s := newSession([][]record{{first}}, h.afterAnswer)
	s.log = &log{}
	if h.store != nil {
		s.log.path = h.store.file(key)
	}
	known.answer.Ack = object{"session": s.row(), "viewCursor": s.head()}
	// The session, its command and the answer are there together or not at all.
	s.log = h.store.create(key, []record{first})
	h.sessions[key] = s
	for each := range h.connections {
		if each.initialized {
			each.notify(event{method: "session/started", params: object{"session": known.answer.Ack["session"]}})
		}
	}
	return known, nil
}

func (h *host) keepRejection(rejection record) {
	switch {
	case h.rejections != nil:
		h.rejections.append([]record{rejection})
	case h.store.read(hostLog) != nil:
		h.rejections = h.store.open(hostLog)
		h.rejections.append([]record{rejection})
	default:
		h.rejections = h.store.create(hostLog, []record{rejection})
	}
}

func rootOf(params object) (string, *mspError) {
	root, _ := os.Getwd()
	if given, there := params["workspaceRoot"].(string); there {
		root = given
	}
	roots, _ := params["workspaceRoots"].([]any)
	if len(roots) == 0 {
		roots = []any{root}
	} else if given := params["workspaceRoot"]; given != nil && given != roots[0] {
		return "", invalidParams("/workspaceRoots must begin with workspaceRoot")
	}
	for _, each := range roots {
		path := each.(string)
		info, err := os.Stat(path)
		if !filepath.IsAbs(path) || err != nil || !info.IsDir() {
			return "", invalidParams("a workspace root must be an absolute path of a folder")
		}
	}
	return roots[0].(string), nil
}

func (h *host) resume(c *connection, command *command, params object) (object, *mspError) {
	key := sessionKey(params)
	s := h.sessions[key]
	if s != nil {
		known := s.passing[command.id]
		if known == nil {
			known = s.ledger[command.id]
		}
		if known != nil && known.signature != command.signature {
			return nil, rejected(command.method, command.spelt, "command_id_conflict")
		}
		if known != nil {
			s.listen(c, len(s.events))
			return known.answer.Ack, nil
		}
	}
	if _, there := params["permissionProfile"]; there {
		return nil, rejected(command.method, command.spelt, "permission_profile_unknown")
	}
	if s == nil {
		entries := h.store.read(key)
		if entries == nil {
			return nil, refusal("sessionNotFound", "", object{"sessionId": params["sessionId"]})
		}
		s = newSession(entries, h.afterAnswer)
		s.log = h.store.open(key)
		h.sessions[key] = s
		s.recover()
	}
	start := len(s.events)
	history := none("cursorSuffix")
	if cursor, there := params["cursor"].(string); there {
		place, err := s.place(cursor)
		if err != nil {
			return nil, err
		}
		start = place
	} else {
		history = historyOf(s, params["excludeItems"] == true, params["history"])
	}
	delete(s.listeners, c)
	s.listen(c, start)
	ack := with(object{"session": s.row(), "viewCursor": s.head(), "history": history}, standing(s))
	s.passing[command.id] = &row{signature: command.signature, answer: answer{Ack: ack}}
	return ack, nil
}
