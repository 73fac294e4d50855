"""Every diagnostic code: what it means, and how to mend it, in the order of a file.

The one table: a test compares it with the codes that the source uses, with the golden cases and
with `docs/errors.md`, which is generated from it. Knows no layer; standard library only.
"""

import re
from collections.abc import Mapping

_TABLE = """
# The text of a file
not-utf8: The file is not UTF-8 at this place. Save it as UTF-8.
bad-character: The file holds a control character or a separator that editors and YAML read
  differently. Remove it, or write it in double quotes as an escape.
empty-file: The file holds nothing but comments. Start with `mcp: 1` and `server:`.
too-large: The file, or what its aliases expand to, is too large.
too-deep: The file is nested more deeply than any field needs.
missing-file: A file that is named does not exist. Paths are relative to the folder of the root
  file.
unreadable-file: A file that is named cannot be read; the message says why.
outside-folder: `include` names a file outside the root file's folder. Move it inside; only data
  may lie elsewhere.
empty-include: A pattern of `include` matches no file. Correct it, or remove it.
nested-include: An included file includes others. Name every file in the root file.
unknown-version: The file is written for another version of the format. This program reads version
  1.
yaml-syntax: The text is no YAML at this place; the message says what was expected.
yaml-tab: A tab stands in the indentation. Indent with spaces.
yaml-tag: Tags (`!…`) are not used; the field decides the type of its value. Remove it.
bad-indentation: A line is indented so that it belongs to no line above it. Indent it like its
  neighbours; if the line above is a text that goes on, quote it.
bad-escape: A backslash in double quotes starts no escape that YAML knows. Write two backslashes,
  or use single quotes.
unclosed: A quote or a bracket of YAML is opened here and not closed.
needs-quotes: A plain text holds or starts with a character that has a meaning in YAML. Quote the
  text.
cut-text: YAML ends a plain text at a comma in braces, or where ` #` starts a comment. Quote the
  whole text; put a space after `#` where a comment is meant.
several-documents: The file holds more than one YAML document. Remove the `---`.
key-not-text: A key is a list, a mapping, an alias or missing. Keys are texts; a template in
  braces needs quotes.
duplicate-key: A key is given twice, in one file or in two that are merged. Remove one of them.
merge-key: `<<` is not part of YAML 1.2. Repeat the fields, or use `defaults:`; plain anchors and
  aliases work.
unknown-alias: An alias names no anchor above it. Quote it, if a text that starts with `*` is
  meant.
recursive-alias: An alias stands inside the value of its own anchor. Write the value out.
# Fields and values
unknown-field: The section has no field of this name. The known ones are listed with it.
missing-field: A field that is needed is not there, or none of several of which one is needed. The
  place is the key above.
misplaced-field: A field has no meaning at this place, or none without another one beside it. Add
  that one, or remove the field.
conflicting-fields: Two fields stand together of which only one may, or which exclude each other.
  Remove one of them.
wrong-type: The value is of another type than the field expects.
unknown-word: The value is none of the words that the field knows.
out-of-range: A number is outside of what makes sense. The message says what is expected.
ambiguous-text: A plain word, number or date is text here, but other YAML readers take it for a
  boolean, a number or a date. Put it in quotes.
not-available: The file uses something of the format that this version does not have. Remove it
  for now.
# Names
bad-name: A name has characters that it cannot have. Tools take letters, digits, `_`, `-` and `.`;
  parameters, `as` names and variables are identifiers.
reserved-name: The name is one that expressions, SQL or templates use, such as `caller`, `now` or
  `rows`. Choose another.
name-taken: Two things at one place have the same name, or differ only in case or in the `?` of an
  optional parameter. Rename one.
unportable-name: Some clients refuse tool names with dots or of more than 64 characters. Shorten
  or rename it.
# Variables of the environment
bad-reference: `${…}` is none of `${NAME}`, `${NAME:-default}` and `${file:path}`. Write `$${` for
  the characters themselves.
bare-variable: `$NAME` stands where only `${NAME}` would be replaced. Write the braces.
missing-variable: The environment lacks a variable, and the reference has no default. Set it, or
  write `${NAME:-default}`.
interpolation-refused: `${NAME}` is not replaced inside SQL, expressions, templates and keys. Put
  it under `vars:` and use `vars.NAME`, or bind it as a parameter.
# The server and its callers
hosts-needed: The server is reached from other machines, and `serve.allowed_hosts` does not say by
  which names. Name them, or `any`.
bad-origin: An origin is scheme, host and port alone, such as `https://client.example.com`, or
  `any`.
bad-network: The text is no network such as `10.0.0.0/8`.
bad-icon: The address of an icon is neither https nor data, and clients load nothing else.
weak-key: A key that seals cursors is too short to be secret. Make one with `openssl rand -hex
  32`.
unknown-caller: The name is none of `callers`. Correct it, or declare the caller.
anonymous-identity-in-public: Everyone who reaches the server would act as one caller of the file.
  Bind it to loopback, or say `public: true` if that is meant.
reserved-path: At this path the server answers the probes of orchestrators. Give the endpoint
  another one, such as /mcp.
same-path: Two endpoints have one path; slashes at its end do not count. Change one of them.
no-match: An endpoint chooses a name, a glob or a tag that nothing has. Correct it, or remove it.
nothing-offered: An endpoint offers nothing. Choose tools or resources, or remove it.
# Databases
unknown-database: A tool or a function names a database that is not under `databases`. Correct the
  name, or declare the database.
unknown-engine: The address of a database names an engine that is not known. Addresses begin with
  `sqlite:///`, `postgresql://` and the like.
unknown-driver: The address of a database names a driver that is not used. Write the engine alone,
  such as `postgresql://`.
url-option: What stands behind the `?` of a database's address is no option of the engine, or the
  option does not take this value. The known ones are listed with it.
create-failed: A script of `create` cannot be run. The place is the statement that fails, or
  the word in it that the engine names.
database-unreachable: A database cannot be opened (`validate --connect`, `serve`, `call`). The
  message names its address and what failed.
connect-refused: The engine refuses a statement of `connect`, for the reason that stands there.
  Correct it; it must be one that the login may run.
create-not-embedded: `create` makes embedded databases only. Create the tables of a server with
  the tools of that database.
external-not-duckdb: `external` names files that DuckDB reads in place; other engines read none.
  Remove it, or give a database with `url: duckdb://`.
several-writers: A tool writes to a DuckDB file, and several workers are to serve it. DuckDB lets
  one process write to a file, and no other read it then. Set `serve.workers` to 1.
# Tools
no-description: A tool has no description, and the model chooses by it. Say what it does and when
  to use it. A warning.
writes-needed: A Python function, or an HTTP method other than GET and HEAD, can do anything, and
  the tool does not say what it does. Add `writes`.
writes-in-read-tool: The statement writes, or locks rows, or calls a function that acts, in a tool
  without `writes`. Say `writes: true` or `writes: destructive` if it is meant.
bad-example: The arguments of an example or a test do not fit the input of the tool. Correct the
  one or the other.
unknown-kind: `errors` gives words for a failure that this tool cannot have. The known ones are
  listed with it.
unused-parameter: A parameter or bind is used nowhere in the tool.
unused-default-bind: The SQL of a tool uses none of the parameters of `defaults.bind`, so that it
  may read the rows of every caller. Use one, or set one to null in the tool. A warning.
unknown-parameter: `:name` in SQL, or `{name}` in a path, is no parameter of the tool. Declare it
  in `input` or `bind`; for a slice in SQL write `1 : name`.
# Input, output and schemas
missing-type: A parameter has no type, and none follows from its other fields. Add a type word.
unknown-type: The type is no type word. The details list them.
untyped-list: A list does not say what its elements are, which clients refuse. Write `string[]`,
  or give `items`.
wrong-keyword: A JSON Schema keyword does not fit the parameter's type. For the elements of a
  list, put it under `items`.
unknown-keyword: JSON Schema 2020-12 has no such keyword, so that it checks nothing. Correct its
  name, or begin it with `x-`.
wrong-enum: A list of allowed values is empty, repeats a value, or holds one that its type does
  not admit.
wrong-default: A default is no value of its own parameter. Correct it, or end the name in a
  question mark where there is none.
wrong-pattern: A regular expression holds something that engines read differently. Use characters,
  classes, groups, repetitions and anchors alone.
unchecked-format: The format is listed to clients but not checked. Use one of the checked formats,
  or a pattern.
wrong-header: A `header` (`x-mcp-header`) breaks a rule, so that clients would drop the tool. It
  marks a string, integer or boolean parameter outside lists, with a name of its own.
secret-header: A parameter that looks like a secret or personal data is repeated in an HTTP
  header, which proxies and logs can read. Drop `header`.
wrong-columns: The declared columns do not fit the result's shape. `value` and `column` have
  exactly one.
wrong-schema: A schema is not valid JSON Schema 2020-12. The message names the keyword and what it
  expects.
unsupported-dialect: The schema names a dialect other than JSON Schema 2020-12. Remove `$schema`,
  and translate the schema if needed.
remote-reference: A `$ref` leads out of its schema. Schemas are never fetched; copy the part under
  `$defs`.
unresolved-reference: No schema stands where a `$ref` points. Correct the pointer, or add the
  schema.
endless-reference: A schema refers to itself without going into the value, so that it has no
  meaning. Refer to it below `properties` or `items`.
recursive-schema: The schema is recursive. It is served, but some clients cannot read it; write
  out the levels that are needed.
schema-too-large: A schema holds too many schemas or is nested too deep. Make it smaller.
# Expressions and templates
expression-syntax: The text is no expression. A text inside an expression has quotes of its own
  (`"'text'"`), and an expression is written without `{{ }}`.
template-syntax: The text is no template: a mark or a statement is not closed, or there is no such
  statement.
select-syntax: The text is no JMESPath, or calls a function that JMESPath does not have.
unknown-name: The expression, template or reference reads a name that has no value at this place.
  For a text, quote it inside the expression: `"'text'"`.
unknown-filter: There is no such filter in expressions; `docs/expressions.md` lists them.
unknown-test: There is no such test after `is` (or in `select`, `reject`); `docs/expressions.md`
  lists them.
forbidden-expression: Expressions are sandboxed: only the documented filters, tests, functions and
  methods are there, no attribute that begins with `_`, and no macro, include, import or block.
expression-too-large: The expression or template is nested too deep, or longer than 256 KiB. Split
  it, or do the work in SQL or Python.
reference-in-expression: `$name` belongs to trees (`with`, `body`, `value`). In an expression or
  template a name stands alone.
partial-reference: A warning: a text begins with `$name` and goes on. `$name` is a reference only
  where it is the whole text; within a text write `{{ name }}`, and `$$` for a dollar sign.
# SQL
empty-statement: There is no SQL statement, only white space or comments.
several-statements: One text holds more than one statement. Write a list: one statement an item,
  all of them in one transaction.
sql-syntax: The statement looks wrong to the SQL parser, and no engine was there to ask. Run
  `validate --connect` to be sure.
sql-refused: The database engine does not accept the statement, as it stands or in one of the
  forms that `[[ ]]` and `choose` give it. The message says why, at the place that the engine
  tells.
unclosed-text: A text, quoted name or comment of SQL is not closed before the end of the
  statement.
unclosed-mark: `[[` or `]]` of SQL has no partner, touches the text beside it, or has no parameter
  inside. Marks stand between white space, as in `[[ AND a = :a ]]`.
unbalanced-brackets: A bracket of SQL, or a mark `[[` or `]]`, has no partner.
nested-marks: `[[ … ]]` stands inside another `[[ … ]]`. Write them one after the other.
foreign-placeholder: The statement holds a placeholder of the database driver (`?`, `$1`, `@x`),
  to which nothing is bound. Write `:name`.
ambiguous-colon: A `:name` stands directly behind another value, as in `a[:lo:hi]`, so that the
  colon may belong to a slice or to a parameter. Set the slice's colon apart: `:lo : :hi` for two
  parameters, `:lo : hi` for a column.
executable-comment: MySQL and MariaDB run the text of comments that begin with `/*!` or `/*M!`.
  Write it as SQL.
implicit-commit: MySQL and MariaDB commit when they run CREATE, ALTER, DROP and the like, so what
  a tool did before cannot be rolled back. Keep such statements out of tools, or alone in one.
never-allowed: The engine refuses the statement in every tool: it reaches other files or databases,
  sets the connection, or runs in no transaction. Remove it; 'writes' does not help.
transaction-control: The statement begins, ends or configures the transaction (COMMIT, SAVEPOINT,
  SET TRANSACTION …), which is the server's. A list of statements is one transaction; a false
  `check` rolls it back.
choice-without-word: A `{name}` from `choose` stands outside `[[ ]]` although its parameter may be
  absent. Require it, give it a default, or put the `{name}` inside `[[ ]]`.
not-a-choice: `{name}` is text from `choose`, and the parameter has none. Write `:name` to bind
  its value.
unknown-choice: `{name}` names no parameter with `choose`.
not-a-list: A list is needed: `each` and a bare `IN :name` take a list parameter. For one value
  write `IN (:name)`.
mixed-list: A list parameter stands beside other values in `IN ( … )`. Write two conditions: `IN
  :ids OR … IN (…)`.
no-members: `:name.member` is used on a value that has no members. Only objects have; the elements
  of a list are `:item` in a statement with `each`.
as-without-rows: `:name.column` refers to the first row of a statement that returns no row. Add
  RETURNING to that statement, or name a query.
always-sent: `if_sent` names a parameter that is required or has a default, so the condition
  always holds. Make the parameter optional (`name?`, without a default) or leave `if_sent` out.
conditional-result: The statement that gives the result has `each` or `if_sent`, so there might be
  no result. Let a query behind it give the result, or say `shape: affected`.
client-statement: `sql: {parameter: name}` lets the client write the statement; that needs a
  required string parameter, and it cannot be combined with `writes` or with `page`.
result-shape: The shape does not fit the statements: `affected` needs one that writes, the others
  one that returns rows, and `value` and `column` take exactly one column.
not-read-only: Tools read from a database whose engine does not hold them to reading: the runner
  knows no read-only transactions of this dialect. Give the server a login that may only read.
uncounted: `rows` of a `check`, or `errors: missing` of a tool that gives `affected`, reads how many
  rows a statement changed, and the driver of this dialect does not tell that. Ask with a query
  beside it, or let the statement return rows.
duplicate-column: Two columns of the result (or of a row named by `as`) have the same name, so
  that one value would be lost. Give each a name of its own with AS.
unknown-column: The engine's description of the statement has no such column; it is named in
  `result` or as `:row.column`.
column-type: The engine takes a parameter for another type than its declared one, of which no
  value, or hardly one, is of that type, such as an integer compared with a date. Declare the type
  of the column, or cast. PostgreSQL tells it, and DuckDB of tables that have rows. A warning.
null-not-declared: A column of the result is declared without null, and the engine says that the
  table's column may hold it; a row with one would fail the call. Write `TYPE|null`, or select no
  null. PostgreSQL, MySQL and MariaDB tell it. A warning.
limit-type: The parameter behind LIMIT is not declared as an integer.
page-shape: Only the shape `rows` has pages.
page-size: `result.page.size` names the parameter that limits the rows; the statement must end in
  `LIMIT :that_parameter`.
page-order: ORDER BY and `result.page.key` name different columns, so the cursor would go on at
  the wrong row. They name the same columns in the same order.
page-cursor: The columns of `result.page.key` and the uses of `:cursor.column` differ. Each key
  column is used once as `:cursor.column`, inside `[[ ]]`.
page-offset: A page without a `key` goes on by `:offset`, which the statement does not use.
# HTTP
unknown-api: A tool or a function names an API that is not under `apis`. Correct the name, or
  declare the API.
bad-url: An address is no http or https base of an API, or holds what has another place, such as a
  password (`auth`), a query (`query` of the tool) or parameters (the path of the tool). The
  address itself is not repeated, since it may hold a secret.
private-address: The host is an address of this machine, of a private network, or one that is
  never called, such as a number in place of a name or a broadcast address. `allow_private` at the
  API allows the private ones.
unencrypted: Credentials of an API would travel over plain http. Use https.
bad-path: A path does not begin with a slash, or has a character or a segment that does not stand
  in a path. The hint names the right place or spelling.
bad-header: A header's name is not legal, is set by the runner or by the API's `auth`, or its
  value cannot be sent as a header. A secret read from a file often ends with a line break.
body-not-sent: A body is given for a method that sends none. Put the values under `query`, or use
  another method.
needs-json: A selection or pagination reads JSON, but the response is read as text or bytes. Leave
  `response` out, or say json.
paginate-get: Only a GET request fetches pages. Use `get`, or leave `paginate` out.
# Python
bad-callable: A reference to Python code is not `package.module:name`. For `summarise()` in
  `tools/text.py` it is `tools.text:summarise`.
unknown-module: There is no such module below the folder of the configuration, and none is
  installed. Correct the reference, or install the package.
unknown-callable: The module, or the object in it, has nothing of that name. Correct the
  reference.
unsupported-callable: The reference names something that cannot be called for one result: a class,
  a generator, a method without its object. Name a function, or an object with `__call__`.
import-failed: A module of the project, or one that it needs, fails while it is imported. The
  place is the line of the project that fails.
signature-unknown: The code is not imported (`--no-import`) and the file gives no `input`, so that
  the parameters are not known. A warning.
missing-hint: A parameter has no type hint, or a function takes any argument, so that nothing can
  be checked or listed. Add a hint, or give `input`. A warning.
unresolved-hint: A type hint names something that is not defined at run time. Import it outside
  `if TYPE_CHECKING`.
unsupported-hint: A type hint has no JSON form. Use JSON's types, dataclasses, TypedDicts,
  pydantic models, enums, dates or Decimal, or declare the schema in the file.
recursive-hint: A type holds itself, so that no schema without references says it, and many
  clients read no references. End it at a fixed depth, or declare the schema in the file.
hint-too-large: The types of a hint use each other so often that their schema is too large to be
  listed. Split the tool, or declare a smaller schema in the file.
unsupported-parameter: A parameter is taken by position only, or has a pydantic `Field` as its
  default. Arguments are passed by name; write `Annotated[…, Field(…)]`.
parameter-not-taken: The file has a parameter that the function does not take, or that is filled
  by the program. Remove it, or add it to the signature.
parameter-not-given: The function needs a parameter that the tool does not have. Add it to `input`
  or `bind`, or give it a default.
parameter-may-be-absent: A parameter is optional in the file, but the function has no default for
  it. Give it a default, in the file or in the signature.
parameter-type: No value of the type in the file fits the type hint of the function. Change the
  one or the other.
ambiguous-database: A function asks for a database, and the file has several. Name one:
  `Annotated[Database, "library"]`, or give the tool a `database`.
ambiguous-api: A function asks for an API, and the file has several. Name one: `Annotated[Http,
  "weather"]`.
# Steps
empty-steps: `steps` is an empty list. Write at least one step.
unknown-tool: A step names a tool that is not in the file.
step-cycle: A tool would call itself through its steps. Steps form no loops.
missing-argument: A step calls a tool without a parameter that the tool requires. Give it under
  `with`.
unknown-argument: A step sends a parameter that the called tool does not have, or that the tool
  binds itself.
wrong-argument: A step sends an argument of a type that the called tool never takes, such as a list
  where it takes one value. Refer to the item that is meant, or to another field.
no-fields: A reference asks a list, a text or a number for a field. Name an item of a list by its
  number: `$orders.rows.0.id`.
step-outside-transaction: A step of a tool with `transaction: true` cannot be undone with the
  others: it calls an API, runs Python, has steps or pages of its own, or the client writes its
  statement. Let the steps of another tool call it beside this one.
second-database: A step of a tool with `transaction: true` is on another database than the steps
  before it. One transaction is of one database.
transaction-without-sql: A tool says `transaction: true`, and none of its steps has SQL. Remove
  `transaction`.
empty-in-transaction: A step of a tool with `transaction: true` calls a tool that makes an empty
  result of a failure. A failed statement ends the transaction; only `missing` is no failure.
# Questions to the user
shows-what-acts: `confirm.show` names a tool that changes something or asks itself. It is run before
  anything is confirmed; name one that only reads.
not-for-a-form: A parameter under `ask` is a list, an object or of several types. Forms of clients
  have texts, numbers, booleans and choices of texts.
asking-step: A step calls a tool that has `confirm`, but the tool with the steps has none. Nobody is
  asked within a step; give the whole tool a `confirm`.
# Tasks
task-store: `tasks.store` is an address where tasks cannot be kept. They are kept in a file of
  SQLite, or in PostgreSQL.
task-too-short: A tool's call may take longer than its task is kept. Set `tasks.ttl` above the
  tool's `timeout`.
# Resources
bad-uri: The text is no URI. Write a scheme, a colon and the rest, such as `docs://style`, and
  percent-encode blanks and other characters that URIs do not have.
taken-scheme: The scheme belongs to an extension of the protocol. Choose one of your own.
bad-uri-template: The braces in a URI are of another form than `{name}` and `{+name}`, or two of
  them could not be told apart when a URI is read.
no-variables: A file or a text is one resource and has one URI. Remove the variable, or use
  `directory`, `sql`, `http` or `python`.
no-path: A folder needs a URI with one variable for the path below it, such as `docs://{+path}`.
same-uri: Two resources have one URI. Change one of them.
unknown-variable: `input` describes a name that is no variable of the URI. Correct it, or remove
  it; hidden values belong into `bind`.
# Prompts
unknown-resource: A message embeds a resource that the file does not have. Correct the URI, or put
  `text` or `file` beside `uri`.
wrong-media: A file that should be an image or a sound is of another type by its name, or a file
  that is sent has nothing in it.
file-too-large: A file that is sent is larger than `budgets.response_body`.
wrong-suggestions: The function of a `complete` says by its return hint that it gives something
  else than a list of texts.
"""
_SECTION = re.compile(r"^# (.+)\n((?:[^#\n].*\n)+)", re.MULTILINE)
_ENTRY = re.compile(r"^([a-z0-9-]+): (.+(?:\n  .+)*)", re.MULTILINE)

SECTIONS: Mapping[str, Mapping[str, str]] = {
    title: {code: " ".join(meaning.split()) for code, meaning in _ENTRY.findall(entries)}
    for title, entries in _SECTION.findall(_TABLE)
}
"""Section → code → one or two sentences."""

CODES: Mapping[str, str] = {
    code: meaning for section in SECTIONS.values() for code, meaning in section.items()
}
"""Code → one or two sentences."""
