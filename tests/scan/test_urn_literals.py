"""Which URNs a piece of code uses, in which role: a table by language."""

from __future__ import annotations

import pytest
from each import each
from hang import in_a_child
from hypothesis import given
from hypothesis import strategies as st
from steps import growth

from babelreg.scan.language import language_of
from babelreg.scan.urn_literals import urn_literals

U = "urn:babel:orders:created"


def uses(path: str, text: str) -> list[tuple[str, str | None]]:
    return [(found.urn.removeprefix("urn:babel:"), found.role) for found in urn_literals(text, language_of(path))]


def role(path: str, text: str) -> str | None:
    """The role of the only use in ``text``; ``none`` where there is none."""
    found = uses(path, text)
    assert len(found) <= 1, found
    return found[0][1] if found else "none"


SENDS = [
    ("app.py", 'app.publish("U", {"id": 1})'),
    ("app.py", "await app.publish(\n    'U',\n    data=data,\n)"),
    ("app.py", 'env = EnvelopeCodec.make("U", data, queue="orders")'),
    ("app.php", "BabelQueue::publish('U', ['id' => 1]);"),
    ("app.php", "(new Publisher($factory))->later(60, 'U', ['id' => 1]);"),
    ("Message.php", "public function getBabelUrn(): string\n    {\n        return 'U';\n    }"),
    ("main.go", 'app.Publish(ctx, "U", map[string]any{"id": 1})'),
    ("main.go", "env, err := babelqueue.Make(\n\t`U`,\n\tdata,\n)"),
    ("main.go", 'hasynq.NewTask("U", payload)'),
    ("Orders.java", 'babelQueue.publish("U", Map.of("id", 1L), "orders");'),
    ("Orders.java", 'producer.send(EnvelopeCodec.make("U", data));'),
    ("Orders.kt", 'producer.send<Order>("U", order)'),
    ("Program.cs", 'await Telemetry.PublishAsync(\n    "U",\n    new Dictionary<string, object?> { ["id"] = 1L });'),
    ("Order.cs", 'public string GetBabelUrn() => "U";'),
    ("Order.cs", 'var env = EnvelopeCodec.Make(@"U", data);'),
    ("app.ts", 'await publisher.publish("U", { id: 1 });'),
    ("app.js", "queue.send({ job: 'U', data })"),
    ("app.mjs", "const env = EnvelopeCodec.make(`U`, data);"),
]
HANDLES = [
    ("app.py", '@app.handler("U")\ndef created(data, meta): ...'),
    ("app.py", 'if env.urn == "U":'),
    ("app.py", 'match urn:\n    case "U":\n        pass'),
    ("config.php", "'handlers' => [\n    'U' => \\App\\Consumers\\OnOrderCreated::class,\n]"),
    ("app.php", "$dispatcher->on('U', function (ConsumedMessage $m): void {});"),
    ("app.php", "#[AsMessageHandler('U')]\nfinal class Handler {}"),
    ("app.php", "if ($message->getUrn() === 'U') {"),
    ("app.php", "match ($urn) { 'U' => $this->created($m), default => null };"),
    ("main.go", 'app.Handle("U", func(ctx context.Context, env babelqueue.Envelope) error {'),
    ("main.go", 'switch in.URN() {\n\tcase "U":'),
    ("Consume.java", '.handler("U", (env, body) ->'),
    ("Consume.java", 'switch (urn) { case "U" -> handle(env); }'),
    ("Consume.java", 'if ("U".equals(EnvelopeCodec.urn(envelope))) {'),
    ("Consume.kt", 'when (urn) {\n    "U" -> handle(env)\n}'),
    ("Program.cs", '["U"] = (env, _, _) =>'),
    ("Program.cs", 'switch (EnvelopeCodec.Urn(incoming))\n{\n    case "U":'),
    ("Program.cs", '[BabelHandler("U")]\npublic class Handler {}'),
    ("consume.mjs", 'const handlers = {\n  "U": (envelope) => {'),
    ("consume.ts", "handlers = { 'U': async (env) => { ack(); } }"),
]
USES = [
    ("app.py", 'URN = "U"'),
    ("app.py", 'messages = [("U", {"id": 1}), (x, {})]'),
    ("app.py", "r'U'"),
    ("app.py", "schemas.register('U', schema)"),
    ("app.py", 'json.dumps({"job": "U"})'),
    ("app.py", 'body = \'{"job": "U"}\''),
    ("app.py", 'sql = """select 1 where urn = \'U\'"""'),
    ("main.go", 'const urn = "U"'),
    ("main.go", 'raw := `{"job":"U","attempts":0}`'),
    ("Orders.java", 'private static final String URN = "U";'),
    ("Orders.java", 'String body = "{\\"job\\":\\"U\\"}";'),
    ("app.rs", 'const URN: &str = "U"; // \'static'),
    ("app.rs", "fn f<'a>(x: &'a str) -> &'a str { g(x, \"U\") }"),
    ("app.rb", 'URN = "U".freeze'),
    ("run.sh", "consume 'U' --queue orders"),
    ("q.sql", "SELECT * FROM m WHERE urn = 'U'; -- urn:babel:no:where"),
    ("app.yaml", "handlers:\n  - urn: U\n"),
    ("app.yaml", "handlers:\n  U: App\\Handler\n"),
    ("app.yaml", "messages: {'U': 'App\\Message'}\n"),
    ("app.yaml", "urns: [U, x]  # urn:babel:no:where\n"),
    ("app.json", '{"urn": "U"}'),
    ("app.env", "ORDER=U\n"),
    (".env.local", "ORDER=U\n"),
    ("app.toml", 'urn = "U"\n'),
    ("app.xml", "<urn>U</urn><!-- urn:babel:no:where -->"),
    ("app.lua", "local urn = 'U'"),
]
NOT = [
    ("app.py", "# app.publish('U')"),
    ("app.py", 'def f():\n    """Send U.\n\n    app.publish("U", {})\n    """'),
    ("app.py", 'log.info("got U from the queue")'),
    ("app.py", '"U" + suffix'),
    ("app.py", 'prefix + "U"'),
    ("app.py", '"U" ".v2"'),
    ("app.py", '("U"\n "-more")'),
    ("app.py", '"U.%s" % name'),
    ("app.py", '"U" % ()'),
    ("app.py", '"U.v{}".format(n)'),
    ("app.py", 'f"U.{name}"'),
    ("app.py", 'f"{prefix}U"'),
    ("app.py", 'urn.startswith("U")'),
    ("app.py", 'PREFIX = "U."'),
    ("app.py", 'PREFIX = "U:"'),
    ("app.py", 'PATTERN = "^U$"'),
    ("app.py", 'PATTERN = "U*"'),
    ("app.py", 'x = "unterminated U'),
    ("app.php", "// U 'U'"),
    ("app.php", "# 'U'"),
    ("app.php", "/** @param string $urn e.g. 'U' */"),
    ("app.php", "$urn = 'U' . $suffix;"),
    ("app.php", "$urn = $prefix . 'U';"),
    ("app.php", '$urn = "U.$name";'),
    ("app.php", '$urn = "{$prefix}U";'),
    ("main.go", '// app.Handle("U", f)'),
    ("main.go", 'fmt.Sprintf("U.%s", name)'),
    ("main.go", 'urn := "U" + "." + name'),
    ("main.go", 'strings.HasPrefix(urn, "U")'),
    ("Orders.java", '/* "U" */'),
    ("Orders.java", '"U".concat(suffix)'),
    ("Orders.kt", '"U.$name"'),
    ("Program.cs", '/// <see cref="x"/> "U"'),
    ("Program.cs", '$"U.{name}"'),
    ("app.ts", "`U.${name}`"),
    ("app.ts", '// "U"'),
    ("app.js", "new RegExp('U')"),
    ("app.rb", '"U#{name}"'),
    ("run.sh", "# consume 'U'"),
    ("run.sh", 'URN="U"$suffix'),
    ("app.yaml", "# urn: U\n"),
    ("app.yaml", "description: It replaces U since May.\n"),
    ("app.yaml", "description: Sent before U.\n"),
    ("app.json", '{"text": "see U for more"}'),
    ("app.txtish", "// U\n"),
]


@each(
    "path, text, expected",
    [
        *(pytest.param(path, text, "produces", id=f"sends, {path}, {text[:40]!r}") for path, text in SENDS),
        *(pytest.param(path, text, "consumes", id=f"handles, {path}, {text[:40]!r}") for path, text in HANDLES),
        *(pytest.param(path, text, None, id=f"uses, {path}, {text[:40]!r}") for path, text in USES),
        *(pytest.param(path, text, "none", id=f"does not use, {path}, {text[:40]!r}") for path, text in NOT),
    ],
)
def test_code_tells_what_it_does_with_a_urn(path, text, expected):
    assert role(path, text.replace("U", U)) == expected


@pytest.mark.parametrize(
    "path, text, found",
    [
        pytest.param("a.py", '"urn:babel:"', [], id="a bare prefix"),
        pytest.param("a.py", '"urn:babel:orders"', [], id="a context without a name"),
        pytest.param("a.py", '"urn:babel:orders:"', [], id="a context with a colon"),
        pytest.param("a.py", '"URN:BABEL:Orders:Created"', ["URN:BABEL:Orders:Created"], id="capitals"),
        pytest.param("a.py", '"urn:babel:orders:créé"', ["orders:créé"], id="letters beyond ASCII"),
        pytest.param("a.py", "'urn:babel:a:b', 'urn:babel:c:d'", ["a:b", "c:d"], id="two on a line"),
        pytest.param("a.js", "`${a ? `x` : ''} b`; f('urn:babel:a:b')", ["a:b"], id="behind a nested template"),
        pytest.param("a.js", "const q = /['\"]/;\nf('urn:babel:a:b')", ["a:b"], id="behind a pattern with quotes"),
        pytest.param("a.java", 'char q = \'"\'; f("urn:babel:a:b");', ["a:b"], id="behind a quote as a character"),
        pytest.param(
            "a.js", "a.replace(/\"/g, '').replace(/[/'](b)/, x); f('urn:babel:a:b')", ["a:b"], id="and in a line"
        ),
        pytest.param("a.js", "a = b / c; f('urn:babel:a:b'); d = e / 2", ["a:b"], id="between quotients"),
        pytest.param("a.go", "q := '\\''; s := `'\\''`; f(\"urn:babel:a:b\")", ["a:b"], id="behind escaped quotes"),
        pytest.param("a.cs", 'var p = @"C:\\"; f("urn:babel:a:b");', ["a:b"], id="behind a verbatim string"),
        pytest.param("a.php", "$t = <<<EOT\ndon't\nEOT;\nf('urn:babel:a:b');", ["a:b"], id="behind a heredoc"),
        pytest.param("a.php", "$t = 'two\nlines';\nf('urn:babel:a:b');", ["a:b"], id="behind a string of two lines"),
        pytest.param("a.py", 'x = """don\'t"""\nf("urn:babel:a:b")', ["a:b"], id="behind three quotes"),
    ],
)
def test_odd_code_is_read_as_it_is(path, text, found):
    assert [urn for urn, _ in uses(path, text)] == found


@pytest.mark.parametrize(
    "path, text, expected",
    [
        pytest.param("a.py", "URN = 'U'\n\ndef f():\n    app.publish(URN, {})", "produces", id="a constant is sent"),
        pytest.param("a.py", "URN: Final[str] = 'U'\n@app.handler(URN)\ndef f(): ...", "consumes", id="or handled"),
        pytest.param("a.py", "URN = 'U'\npublish(URN)\nhandler(URN)", None, id="or both, so that it is not told"),
        pytest.param("a.py", "URN = 'U'\n# publish(URN)\nlog('publish(URN)')", None, id="in a comment it is not used"),
        pytest.param("a.py", "URN = 'U'\npublish(OTHER_URN, URNS)", None, id="another name"),
        pytest.param("a.py", "x.urn = 'U'\npublish(urn)", None, id="a field is no name"),
        pytest.param("a.go", 'const urn = "U"\nfunc f() { app.Publish(ctx, urn, d) }', "produces", id="Go"),
        pytest.param("a.go", 'urn := "U"\napp.Handle(urn, f)', "consumes", id="a variable in Go"),
        pytest.param("a.php", "private const URN = 'U';\n$p->publish(self::URN, []);", "produces", id="PHP"),
        pytest.param("a.php", "$urn = 'U';\n$d->on($urn, $f);", "consumes", id="a variable in PHP"),
        pytest.param(
            "A.java", 'static final String URN = "U";\nvoid f() { bus.publish(URN, d); }', "produces", id="Java"
        ),
        pytest.param("A.cs", 'const string Urn = "U";\nif (e.Urn() == Urn) { }', "consumes", id="C#"),
        pytest.param("a.ts", 'const URN = "U";\nbus.publish(URN, {});', "produces", id="TypeScript"),
    ],
)
def test_a_name_that_is_given_to_a_urn_tells_the_role(path, text, expected):
    assert role(path, text.replace("U'", f"{U}'").replace('U"', f'{U}"')) == expected


PIECES = [
    '"',
    "'",
    "`",
    '"""',
    "'''",
    "\\",
    "\n",
    "//",
    "/*",
    "*/",
    "#",
    "<<<X\n",
    "X",
    "(",
    ")",
    "{",
    "}",
    "+",
    ".",
    U,
    "f(",
    "@",
    "$",
]
FILES = [
    "a.py",
    "a.php",
    "a.go",
    "a.java",
    "a.cs",
    "a.ts",
    "a.rb",
    "a.sh",
    "a.sql",
    "a.yaml",
    "a.json",
    "a.xml",
    "a.what",
]


@given(st.sampled_from(FILES), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_no_text_is_too_odd_and_what_is_found_stands_there(path, text):
    for found in urn_literals(text, language_of(path)):
        assert text.startswith(found.urn, found.start)


REPEATED = [
    '\\"',
    '"""',
    "/*",
    "<<<X\n",
    '@"',
    f"{U} ",
    f'"{U}"',
    f'f("{U}"(',
    f'X = "{U}"\n',
    f"{U}:",
    "(" * 9,
    ",/[",
    ",/a",
]
PATHS = ["a.py", "a.php", "a.go", "a.cs", "a.ts", "a.sh", "a.yaml"]


def scan(path: str, piece: str, size: int) -> None:
    urn_literals(piece * (size // len(piece)), language_of(path))


@each("path", PATHS)
@each("piece", REPEATED, ids=repr)
def test_the_steps_are_linear_in_the_text(path, piece):
    assert growth(lambda size: scan(path, piece, size), 500, 4_000) < 1.5


@pytest.mark.parametrize("path", PATHS)
def test_regular_expressions_do_not_backtrack(path):
    """They take their steps unseen, so that only processor time tells: ten seconds for what takes a quarter of one."""

    def scan_each() -> None:
        for piece in REPEATED:
            print(f"{path}: {piece!r}", flush=True)
            scan(path, piece, 50_000)

    in_a_child(scan_each, cpu_seconds=10)
