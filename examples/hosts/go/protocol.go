package main

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"
)

const maxFrameBytes = 10_485_760

type object = map[string]any

// method is a row of the protocol's table of methods. Only those that this host can serve have params.
type method struct {
	Experimental string
	Params       string
	Record       string
	Strict       bool
	DurableOnly  bool
	Gates        []struct{ Path, Descriptor, Capability string }
}

// schema is the part of JSON Schema that the params of methods need.
type schema struct {
	Ref                  string `json:"$ref"`
	AnyOf                []*schema
	Type                 []string
	Const                any
	Enum                 []string
	Pattern              string
	Minimum, Maximum     *float64
	Items                *schema
	AdditionalProperties *schema
	Properties           map[string]*schema
	Required             []string
	DependentRequired    map[string][]string
}

//go:embed protocol.json
var protocolText []byte

// protocol is what protocol.json says; it is generated from the schema.
var protocol struct {
	Fingerprint string
	Errors      map[string]int
	Methods     map[string]*method
	Definitions map[string]*schema
}

func init() {
	if err := json.Unmarshal(protocolText, &protocol); err != nil {
		panic(err)
	}
}

// mspError is an error that a request is answered with.
type mspError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    object `json:"data"`
}

func (e *mspError) Error() string { return e.Message }

func refusal(kind, message string, data object) *mspError {
	body := object{"kind": kind, "retryable": false}
	for name, value := range data {
		body[name] = value
	}
	return &mspError{protocol.Errors[kind], message, body}
}

func invalidParams(message string) *mspError { return refusal("invalidParams", message, nil) }

func rejected(method, commandID, reason string) *mspError {
	message := fmt.Sprintf("%s command %s rejected: %s", method, commandID, reason)
	return refusal("commandRejected", message, object{"commandId": commandID, "reason": reason})
}

// mintID makes a new id of the host's own: a UUID of version 7.
func mintID() string {
	var id [16]byte
	_, _ = rand.Read(id[6:])
	ms := time.Now().UnixMilli()
	for i := 5; i >= 0; i, ms = i-1, ms>>8 {
		id[i] = byte(ms)
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

var (
	uuid      = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	commandID = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	base64    = regexp.MustCompile(`^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$`)
)

// readFrame gives the value of a line. encoding/json puts U+FFFD where text is no Unicode; these lines are refused.
func readFrame(line []byte) (any, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("a line is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something stands behind the frame")
	}
	return value, nil
}

var escape = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// hasLoneSurrogate says whether a line has half of a surrogate pair, written as an escape.
func hasLoneSurrogate(line []byte) bool {
	open := -1
	for _, at := range escape.FindAllIndex(line, -1) {
		code := uint64(0)
		if line[at[0]+1] == 'u' {
			code, _ = strconv.ParseUint(string(line[at[0]+2:at[1]]), 16, 32)
		}
		isLow := code >= 0xdc00 && code <= 0xdfff
		if isLow != (open == at[0] && open >= 0) || open >= 0 && open != at[0] {
			return true
		}
		open = -1
		if code >= 0xd800 && code <= 0xdbff {
			open = at[1]
		}
	}
	return open >= 0
}
