/** The edge runs the same build of PostgreSQL's parser as the relay, without its loader. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadModule, parseSync, SqlError } from 'libpg-query';
import { beforeAll, expect, test } from 'vitest';
import { serverRefusal } from '../kinds/postgres/dialect/parser-refusal.ts';
import { ATTACKS, TRAPS } from '../node-relay/drivers/postgres/test/attacks.ts';
import { READS } from '../node-relay/drivers/postgres/test/reads.ts';
import { EXPORTS, IMPORTS } from '../worker/drivers/edge/neon/instance.ts';
import { parserOf } from '../worker/drivers/edge/neon/parser.ts';

const require = createRequire(import.meta.url);
const file = (name: string) => readFileSync(require.resolve(`libpg-query/wasm/${name}`));
const loader = file('libpg-query.js').toString();
const OTHER_LETTERS =
  'libpg-query no longer has these letters: see docs/decisions/0016-modules-below-a-library.md';

beforeAll(() => loadModule());

/** Refused by different functions of the parser, which the edge has to read from its memory. */
const REFUSED = [
  ['42601', 'SELEC'],
  ['42939', 'CREATE ROLE none'],
  ['22025', String.raw`SELECT E'\u00zz'`],
  ['22021', String.raw`SELECT E'\xff'`],
] as const;

/** What the loader's text says a name stands for. */
function lettersOf(names: Readonly<Record<string, string>>, pattern: (name: string) => RegExp) {
  return Object.fromEntries(
    Object.keys(names).map((name) => [name, pattern(names[name] ?? '').exec(loader)?.[1]]),
  );
}

test('the letters of the build are those that its loader has', () => {
  const imports = /wasmImports=\{([^}]*)\}/.exec(loader)?.[1] ?? '';
  const named = Object.fromEntries(
    imports.split(',').map((pair) => pair.split(':').toReversed() as [string, string]),
  );
  const { invoke, invokeMore, ...others } = IMPORTS;
  const expected: Record<string, string> = {
    ___assert_fail: others.assertFail,
    __abort_js: others.abort,
    __emscripten_runtime_keepalive_clear: others.keepaliveClear,
    __emscripten_throw_longjmp: others.longjmp,
    __setitimer_js: others.setTimer,
    _emscripten_resize_heap: others.grow,
    _exit: others.exit,
    _proc_exit: others.procExit,
    _fd_close: others.close,
    _fd_read: others.read,
    _fd_seek: others.seek,
    _fd_write: others.write,
  };
  for (const [types, letter] of Object.entries({ ...invoke, ...invokeMore })) {
    expected[`invoke_${types}`] = letter;
  }
  expect(named, OTHER_LETTERS).toEqual(expected);
  const exported = lettersOf(
    {
      memory: 'memory=wasmMemory',
      table: '__indirect_function_table=wasmTable',
      malloc: '_malloc=Module\\["_malloc"\\]',
      free: '_free=Module\\["_free"\\]',
      parse: '_wasm_parse_query_raw=Module\\["_wasm_parse_query_raw"\\]',
      freeResult: '_wasm_free_parse_result=Module\\["_wasm_free_parse_result"\\]',
      setThrew: '_setThrew',
      restoreStack: '__emscripten_stack_restore',
      currentStack: '_emscripten_stack_get_current',
    },
    (name) => new RegExp(`[;{]${name}=wasmExports\\["(\\w)"\\]`),
  );
  const start = /initRuntime\(\)\{.*?wasmExports\["(\w)"\]\(\)/.exec(loader)?.[1];
  expect({ ...exported, start }, OTHER_LETTERS).toEqual(EXPORTS);
});

test('every statement of the corpora comes to the same tree or the same error', () => {
  const { WebAssembly: runtime } = globalThis as unknown as {
    WebAssembly: { Module: new (bytes: Uint8Array) => object };
  }; // The types of Node leave it out.
  const parse = parserOf(new runtime.Module(file('libpg-query.wasm')));
  const texts = [...ATTACKS, ...READS, ...TRAPS.split(';'), TRAPS].filter(
    (text) => text.trim() !== '' && !text.includes('\0'),
  );
  expect(texts.length).toBeGreaterThan(200);
  for (const text of texts) expect(parse(text), text).toEqual(byPackage(text));
  for (const [sqlstate, text] of REFUSED) {
    expect(parse(text), text).toMatchObject({ sqlstate });
    expect(parse(text), text).toEqual(byPackage(text));
  }
});

function byPackage(text: string): unknown {
  try {
    const { stmts = [] } = parseSync(text);
    return {
      statements: stmts.map(({ stmt, stmt_location: from = 0, stmt_len: length = 0 }) => ({
        tree: stmt,
        from,
        length,
      })),
    };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { functionName: raisedBy, cursorPosition = 0 } = error.sqlDetails ?? {};
    return serverRefusal({ message: error.message, raisedBy, place: cursorPosition + 1 });
  }
}
