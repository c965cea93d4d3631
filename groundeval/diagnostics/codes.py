"""The one table of findings; docs, tests and outputs read it.

Numbers: 1xx syntax, 2xx names and modules, 3xx types, 4xx domain (access, links, silences),
5xx tracks and questions, 6xx tests in contracts, 7xx data, 8xx project and traces.
"""

from __future__ import annotations

from groundeval.diagnostics.model import Code, Severity

E = Severity.ERROR
W = Severity.WARNING

SYNTAX_ERROR = Code("GEV101", "syntax-error", E, "the text does not fit the grammar")
UNSUPPORTED_VERSION = Code(
    "GEV102", "unsupported-version", E, "the file is of another language version"
)
NOT_IN_VERSION = Code("GEV103", "not-in-version", E, "a construct is not part of this version")
MISSING_VERSION = Code("GEV104", "missing-version", E, "a file does not begin with its version")
UNKNOWN_DECLARATION = Code("GEV105", "unknown-declaration", E, "no declaration has this keyword")
UNKNOWN_CLAUSE = Code("GEV106", "unknown-clause", E, "no clause here has this keyword")
UNCLOSED_BLOCK = Code("GEV107", "unclosed-block", E, "a block or bracket is never closed")
UNCLOSED_TEXT = Code("GEV108", "unclosed-text", E, "a text or quoted name ends with its line")
TOO_DEEP = Code("GEV109", "too-deep", E, "something is nested too deeply")
MALFORMED_LITERAL = Code(
    "GEV110", "malformed-literal", E, "a number, date or duration is malformed"
)
BAD_TEXT = Code("GEV111", "bad-text", E, "an escape or a hole in a text is malformed")
STRAY_CHARACTER = Code("GEV112", "stray-character", E, "a character has no meaning here")
ASSIGNMENT = Code("GEV113", "assignment", E, "`=` stands where a comparison is meant")
REPEATED_PART = Code("GEV114", "repeated-part", E, "a part of a declaration stands twice")

# 2xx names and modules
UNKNOWN_MODULE = Code("GEV201", "unknown-module", E, "a used file does not exist")
ABSOLUTE_PATH = Code("GEV202", "absolute-path", E, "a path is not relative to its file")
MODULE_CYCLE = Code("GEV203", "module-cycle", E, "files use each other in a circle")
MODULE_COLLISION = Code("GEV204", "module-collision", E, "two files answer to one name")
DUPLICATE_NAME = Code("GEV205", "duplicate-name", E, "a name is declared twice")
UNKNOWN_ROLE = Code("GEV206", "unknown-role", E, "a role is not declared")
UNKNOWN_SUBSYSTEM = Code("GEV207", "unknown-subsystem", E, "a subsystem is not declared")
UNKNOWN_EVENT_TYPE = Code("GEV208", "unknown-event-type", E, "an event type is not declared")
UNKNOWN_GATE = Code("GEV209", "unknown-gate", E, "a gate is not declared")
UNKNOWN_TRACK = Code("GEV210", "unknown-track", E, "a track is not in use")
UNKNOWN_ACTOR = Code("GEV211", "unknown-actor", E, "an actor is not declared")
UNKNOWN_LISTED_NAME = Code("GEV212", "unknown-listed-name", E, "a role lists a misspelt name")
UNDECLARED_LISTED_NAME = Code(
    "GEV220", "undeclared-listed-name", W, "a role lists a name that nothing declares"
)
UNREAD_NAME = Code("GEV221", "unread-name", W, "a role or actor carries a name that no rule reads")
REPEATED_USE = Code("GEV222", "repeated-use", W, "a file uses another one twice")
NEVER_EQUAL = Code("GEV223", "never-equal", W, "a name is compared that nothing declares")
UNKNOWN_TYPE = Code("GEV213", "unknown-type", E, "a field's type does not exist")
RESERVED_NAME = Code("GEV214", "reserved-name", E, "a name has a meaning of its own already")
ROLE_CYCLE = Code("GEV215", "role-cycle", E, "roles inherit from each other in a circle")
TRACK_NAME = Code("GEV216", "track-name", E, "a track is not named like its file")
UNKNOWN_WORD = Code("GEV217", "unknown-word", E, "a word is none of those that can stand here")
HOLE_IN_PLAIN_TEXT = Code("GEV218", "hole-in-plain-text", E, "a plain text holds an expression")
LET_CYCLE = Code("GEV219", "let-cycle", E, "a `let` uses itself")
BAD_SUPPRESSION = Code("GEV291", "bad-suppression", E, "an `allow` comment cannot be followed")
UNUSED_SUPPRESSION = Code("GEV292", "unused-suppression", E, "an `allow` comment allows nothing")
EXPIRED_SUPPRESSION = Code("GEV293", "expired-suppression", E, "an `allow` comment is out of date")

# 3xx types: what expressions say
UNKNOWN_NAME = Code("GEV301", "unknown-name", E, "a name stands for nothing here")
UNKNOWN_FIELD = Code("GEV302", "unknown-field", E, "a thing has no such field")
UNDECLARED_FIELD = Code("GEV303", "undeclared-field", E, "no event of the type has this field")
UNKNOWN_FUNCTION = Code("GEV304", "unknown-function", E, "a function does not exist")
WRONG_ARGUMENTS = Code("GEV305", "wrong-arguments", E, "a call's arguments do not fit")
MISPLACED_NAME = Code("GEV306", "misplaced-name", E, "something cannot be used in this place")
TYPE_MISMATCH = Code("GEV307", "type-mismatch", E, "values of different kinds stand together")
NO_CONDITION = Code("GEV308", "no-condition", E, "a condition is neither true nor false")
NO_COLLECTION = Code("GEV309", "no-collection", E, "a single value stands where several are needed")
SEVERAL_VALUES = Code("GEV310", "several-values", E, "a single value is needed")
NO_ZONE = Code("GEV311", "no-zone", E, "a time names no zone, and the contract has none")
BAD_LITERAL = Code("GEV312", "bad-literal", E, "a time or a number does not exist")
BAD_PATTERN = Code("GEV313", "bad-pattern", E, "a pattern is not in RE2's language")
NO_INSTANT = Code("GEV314", "no-instant", E, "what changes over time is read without an instant")
MISSING_COMPARED = Code("GEV315", "missing-compared", E, "a comparison with `missing` says nothing")
NOT_CONSTANT = Code("GEV316", "not-constant", E, "a constant depends on something")
BAD_FORMAT = Code("GEV317", "bad-format", E, "a hole cannot be shown in this way")
TOO_LARGE = Code("GEV318", "too-large", E, "an expression is too deep or too large")
BAD_TIME_FORM = Code("GEV319", "bad-time-form", E, "the form of a written time is not understood")
SETTLED_CONDITION = Code("GEV320", "settled-condition", W, "a condition is always the same")

# 4xx the domain: access, links, silences, sources
REPEATED_SETTING = Code("GEV401", "repeated-setting", E, "a setting of the contract is said twice")
UNKNOWN_TIMEZONE = Code("GEV402", "unknown-timezone", E, "a time zone does not exist")
EMPTY_PERIOD = Code("GEV403", "empty-period", E, "something ends before it begins")
OVERLAPPING_STINTS = Code("GEV404", "overlapping-stints", E, "a role is held twice at once")
BAD_ROLE_LIST = Code("GEV405", "bad-role-list", E, "an entry of a role is no list of names")
UNKNOWN_ACTION = Code("GEV410", "unknown-action", E, "a rule is about no action of agents")
NEVER_PERMITS = Code("GEV411", "never-permits", W, "a gate forbids but never permits")
FIELD_NOT_IN_DATA = Code("GEV412", "field-not-in-data", W, "no event has a declared field")
EMPTY_GATE = Code("GEV413", "empty-gate", W, "a gate has no rule")
MISSING_CLAUSE = Code("GEV420", "missing-clause", E, "a clause that is needed is not there")
REPEATED_CLAUSE = Code("GEV421", "repeated-clause", E, "a clause stands twice")
MISPLACED_CLAUSE = Code("GEV422", "misplaced-clause", E, "a clause does not belong here")
NO_EQUALITY = Code("GEV423", "no-equality", E, "a join compares no field of both sides")
PAIRWISE_JOIN = Code("GEV424", "pairwise-join", W, "a join looks at every pair of events")
NEEDLESS_PAIRWISE = Code("GEV425", "needless-pairwise", W, "`pairwise` is not needed")
NO_WINDOW = Code("GEV426", "no-window", W, "nothing bounds the time between two events")
BAD_WINDOW = Code("GEV427", "bad-window", E, "a window is no length of time")
UNBOUNDED_EVERY = Code("GEV428", "unbounded-every", E, "`match every` has no window")
INHIBITING_LINK = Code("GEV429", "inhibiting-link", W, "a link that prevents is not contributing")
CONFUSABLE_MECHANISM = Code(
    "GEV430", "confusable-mechanism", E, "two mechanisms have names that compare as the same"
)
SAME_VARIABLE = Code("GEV431", "same-variable", E, "both sides have the same variable")
BAD_EVIDENCE = Code("GEV432", "bad-evidence", E, "evidence names no artifact")
NO_PLACE = Code("GEV433", "no-place", E, "a silence says nowhere to look")
BAD_PLACE = Code("GEV434", "bad-place", E, "a place cannot be looked at")
MIXED_NECESSITY = Code(
    "GEV435", "mixed-necessity", W, "an effect has necessary and sufficient causes"
)
UNCONFIRMED_OUTCOME = Code(
    "GEV436", "unconfirmed-outcome", E, "the causal graph contradicts a link's outcome"
)
SHARED_EFFECT = Code("GEV437", "shared-effect", W, "an effect has several necessary causes")
MATCHES_NOTHING = Code("GEV438", "matches-nothing", W, "a link or silence matches nothing")
UNKNOWN_SOURCE_KIND = Code("GEV440", "unknown-source-kind", E, "a source maps onto no known thing")
MISSING_SOURCE_FIELD = Code("GEV441", "missing-source-field", E, "a source lacks a needed field")
UNKNOWN_SOURCE_FIELD = Code("GEV442", "unknown-source-field", E, "a source maps an unknown field")
BAD_SOURCE_OPTION = Code("GEV443", "bad-source-option", E, "an option of a source has a bad value")

# 5xx tracks and questions
REPEATED_TRACK_CLAUSE = Code(
    "GEV501", "repeated-track-clause", E, "a clause of a track stands twice"
)
MISSING_TRACK_CLAUSE = Code("GEV502", "missing-track-clause", E, "a track leaves something unsaid")
WRONG_SUM = Code("GEV503", "wrong-sum", E, "weights or shares do not add up to 1")
BAD_WEIGHT = Code("GEV504", "bad-weight", E, "a weight or share is not between 0 and 1")
REPEATED_NAME = Code("GEV505", "repeated-name", E, "a name stands twice in one block")
UNKNOWN_SCORE = Code("GEV506", "unknown-score", E, "a score is neither `answer` nor `trajectory`")
UNREACHED_SCORE = Code("GEV507", "unreached-score", E, "a score block can never be used")
MAY_BE_MISSING = Code("GEV508", "may-be-missing", W, "a component has no value in some case")
UNUSED_LET = Code("GEV509", "unused-let", W, "a `let` is never used")
UNKNOWN_PARAM = Code("GEV510", "unknown-param", E, "a project sets a param that no track has")
BAD_PARAM = Code("GEV511", "bad-param", E, "a param has a value of another type")
BAD_ANSWER_FIELD = Code("GEV512", "bad-answer-field", E, "a field of an answer cannot be asked for")
UNENFORCED_GATE = Code(
    "GEV513", "unenforced-gate", E, "a track names a gate that nothing can break there"
)
BAD_ROUNDING = Code("GEV514", "bad-rounding", E, "`round` takes a whole number from 0 to 9")
UNUSED_PARAM = Code("GEV515", "unused-param", W, "a `param` is never used")

# 6xx tests in contracts
TEST_TRACK = Code("GEV601", "test-track", E, "a test is for a track that is not in use")
UNKNOWN_GIVEN = Code("GEV602", "unknown-given", E, "a test gives something that does not exist")
BAD_GIVEN = Code("GEV603", "bad-given", E, "what a test gives has a wrong name or value")
REPEATED_GIVEN = Code("GEV604", "repeated-given", E, "a test gives the same thing twice")
NO_EXPECTATION = Code("GEV605", "no-expectation", E, "a test expects nothing")
UNKNOWN_RULE = Code("GEV606", "unknown-rule", E, "`by` names no rule of the gate")
MISPLACED_BY = Code("GEV607", "misplaced-by", E, "`by` stands where no gate decides")
NOT_GIVEN = Code("GEV608", "not-given", E, "a test asks about what it is not given")
REPEATED_TEST = Code("GEV609", "repeated-test", W, "two tests have the same name")

# 7xx data
UNREADABLE_FILE = Code("GEV701", "unreadable-file", E, "a data file cannot be read")
UNKNOWN_FORMAT = Code("GEV702", "unknown-format", E, "the file's ending names no known format")
MISSING_EXTRA = Code("GEV703", "missing-extra", E, "reading this format needs an optional package")
MALFORMED_RECORD = Code("GEV704", "malformed-record", E, "a record's text cannot be read")
MISSING_FIELD = Code("GEV705", "missing-field", E, "a record lacks a field that it needs")
BAD_FIELD = Code("GEV706", "bad-field", E, "a field's value is of the wrong kind")
BAD_TIME = Code("GEV707", "bad-time", E, "a value is not an instant")
BAD_ID = Code("GEV708", "bad-id", E, "a text cannot serve as an id")
DUPLICATE_ID = Code("GEV709", "duplicate-id", E, "two records have the same id")
RESERVED_SUBSYSTEM = Code("GEV710", "reserved-subsystem", E, "a subsystem's name is reserved")
BAD_PERIOD = Code("GEV711", "bad-period", E, "a record ends before it begins")
NOTHING_MATCHED = Code("GEV712", "nothing-matched", E, "a pattern or folder holds no data file")
OUTSIDE_FOLDER = Code("GEV713", "outside-folder", E, "a data file lies outside of its folder")
UNKNOWN_VERSIONED = Code("GEV714", "unknown-versioned", E, "a version belongs to no artifact")
UNKNOWN_STINT_ACTOR = Code("GEV715", "unknown-stint-actor", E, "a stint belongs to no actor")
UNKNOWN_STINT_ROLE = Code("GEV716", "unknown-stint-role", E, "a stint is of no declared role")
TOO_MANY_FINDINGS = Code("GEV717", "too-many-findings", E, "a file has more findings than are kept")
SKIPPED_RECORD = Code("GEV718", "skipped-record", W, "a bad record was left out, as asked")
UNDECLARED_ACTOR = Code("GEV719", "undeclared-actor", W, "events name actors that nobody declared")
MISSING_ARTIFACT = Code("GEV720", "missing-artifact", W, "events name artifacts the corpus lacks")
UNDATED_ARTIFACT = Code("GEV721", "undated-artifact", W, "artifacts have no creation time")
MALFORMED_FILE = Code("GEV723", "malformed-file", E, "a data file's text breaks off its format")
IGNORED_FILE = Code("GEV724", "ignored-file", W, "files in a data folder are of no known format")
CONFLICTING_FIELDS = Code("GEV722", "conflicting-fields", E, "two fields say the same thing twice")
UNDECLARED_EVENT_TYPE = Code(
    "GEV725", "undeclared-event-type", W, "the log has events of types that nothing declares"
)
EMPTY_INPUT = Code("GEV726", "empty-input", W, "the log or the corpus of a project is empty")

# 8xx the project and traces
PROJECT_MISSING = Code("GEV801", "project-missing", E, "there is no project at the place named")
PROJECT_INVALID = Code("GEV802", "project-invalid", E, "the project file cannot be used")
FOREIGN_CONFIG = Code(
    "GEV803", "foreign-config", E, "a config of another tool cannot be translated"
)

WRONG_USAGE = Code("GEV805", "wrong-usage", E, "a command was called in a way it does not know")
UNWRITABLE_OUTPUT = Code("GEV806", "unwritable-output", E, "an output cannot be written")

# 82x reading traces
MALFORMED_TRACE = Code("GEV821", "malformed-trace", E, "a trace does not fit the format")
OTHER_SCHEMA = Code("GEV822", "other-schema", E, "a document is of another kind or major version")
UNKNOWN_TRACE_FIELD = Code("GEV823", "unknown-trace-field", W, "traces have a field of no meaning")
UNKNOWN_ANSWER_FIELD = Code(
    "GEV824", "unknown-answer-field", W, "answers have a field that their track does not ask for"
)

# 83x runs
TORN_TRACE = Code("GEV830", "torn-trace", W, "the last line of a file of traces was cut off")
FOLDER_IN_USE = Code("GEV831", "folder-in-use", E, "another run is writing into a folder")
OTHER_ATTEMPTS = Code(
    "GEV832", "other-attempts", E, "a folder has attempts of the agent under other settings"
)
UNKNOWN_AGENT = Code("GEV833", "unknown-agent", E, "no agent goes by that name")

DAMAGED_CONTRACT = Code("GEV841", "damaged-contract", E, "a contract file was changed or cut")

# 85x scoring
UNKNOWN_QUESTION = Code("GEV851", "unknown-question", E, "a trace is about no known question")
UNSCORABLE_QUESTION = Code("GEV852", "unscorable-question", E, "a question cannot be scored")
DUPLICATE_ATTEMPT = Code(
    "GEV853", "duplicate-attempt", E, "a question is attempted twice in one epoch"
)
MALFORMED_RESULT = Code("GEV854", "malformed-result", E, "a result does not fit the format")
STALE_CONTRACT = Code("GEV804", "stale-contract", E, "a contract was compiled from other inputs")

# 86x models behind an API
MISSING_KEY = Code("GEV860", "missing-key", E, "the variable of an agent's key is not set")
ENDPOINT_SETTING = Code("GEV861", "endpoint-setting", E, "a setting of an endpoint does not fit")

# 87x search engines and sessions
UNKNOWN_BACKEND = Code("GEV870", "unknown-backend", E, "a backend is of no known name")
UNUSABLE_BACKEND = Code("GEV871", "unusable-backend", E, "a backend cannot work on this machine")

# 88x agents that are Python functions
UNUSABLE_AGENT = Code("GEV880", "unusable-agent", E, "an agent's function cannot be imported")
