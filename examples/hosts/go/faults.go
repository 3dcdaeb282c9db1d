package main

// Faults that can be switched on by --fault NAME, each in one place of the code. They show that the laws find them.
var faults = map[string]string{
	"dedupe-in-memory":       "commands are not remembered when a session is loaded",
	"conflict-overwrites":    "a command that conflicts takes the place of the first one",
	"ids-by-letter-case":     "two spellings of one id are two ids",
	"mints-missing-ids":      "a command without an id is given one",
	"steer-in-next-turn":     "what is sent into a turn is shown in the next one",
	"unqueue-cancels":        "a turn/unqueue that comes too late ends the turn",
	"queue-backwards":        "of the turns that wait, the last one is launched first",
	"snapshot-without-queue": "a snapshot leaves out the turns that wait",
	"recovery-skipped":       "a turn that a crash ended is left as it was",
}

var chosenFault string

// fault says whether a fault is switched on.
func fault(name string) bool {
	if _, known := faults[name]; !known {
		panic("no such fault: " + name)
	}
	return chosenFault == name
}
