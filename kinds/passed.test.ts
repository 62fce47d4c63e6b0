/** What a kind passes on is as it was written, and all else as `parseJson` reads it: shown by a reader of both. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, parseJson } from '../proto/json.ts';
import type { Passes } from '../proto/passed.ts';
import { parseWritten, writtenText } from '../proto/written-json.ts';
import { kindSpec, SPECIFIED_KINDS } from './index.ts';
import { withPassed } from './passed.ts';

const names = fc.constantFrom(
  ...['query', 'params', 'rows', 'body', 'queries', 'request', 'operations', 'timeout_ms'],
  ...['1', '07', '__proto__', 'vector', 'values'],
);
const numbers = fc.constantFrom(
  ...['1', '-0', '1.0', '1.10', '1e2', '1E400', '12345678901234567890', '0.1', '1e-7', '3e0'],
);
/** JSON text. */
const { text: texts } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    numbers,
    fc.constantFrom('"a"', 'true', 'null', '""'),
    fc.array(tie('text'), { maxLength: 4 }).map((all) => `[${all.join()}]`),
    fc
      .array(fc.tuple(names, tie('text')), { maxLength: 5 })
      .map((all) => `{${all.map(([name, value]) => `"${name}": ${value}`).join()}}`),
  ),
}));

/** A request, or those within it, of both readings. */
function requestOf(plain: Json, written: Json, passes: Passes): Json {
  if (Array.isArray(plain)) return eachOf(plain, written, (a, b) => requestOf(a, b, passes));
  return membersOf(plain, written, (name, a, b) => {
    if (name === 'timeout_ms') return a;
    const isAround = name === 'request' || name === 'operations';
    return isAround ? requestOf(a, b, passes) : memberOf(name, a, b, passes);
  });
}

function readingOf(plain: Json, written: Json, passes: Passes): Json {
  if (Array.isArray(plain)) return eachOf(plain, written, (a, b) => readingOf(a, b, passes));
  return membersOf(plain, written, (name, a, b) => memberOf(name, a, b, passes));
}

function memberOf(name: string, plain: Json, written: Json, passes: Passes): Json {
  if (passes === 'all' || passes.includes(name)) return written;
  const within = passes.filter((path) => path.startsWith(`${name}.`));
  return readingOf(
    plain,
    written,
    within.map((path) => path.slice(name.length + 1)),
  );
}

function eachOf(plain: Json[], written: Json, read: (plain: Json, written: Json) => Json): Json {
  return plain.map((each, at) => read(each, Array.isArray(written) ? (written[at] ?? null) : null));
}

function membersOf(
  plain: Json,
  written: Json,
  read: (name: string, plain: Json, written: Json) => Json,
): Json {
  if (!isJsonObject(plain) || !isJsonObject(written)) return plain;
  const members = Object.entries(plain).map(
    ([name, value]) => [name, read(name, value, written[name] ?? null)] as const,
  );
  return Object.fromEntries(members);
}

test('each kind has what it passes on as it was written, and all else as it is read', () => {
  let different = 0;
  const both = fc.tuple(fc.constantFrom(...SPECIFIED_KINDS), texts);
  fc.assert(
    fc.property(both, ([kind, text]) => {
      const { passes } = kindSpec(kind);
      if (passes === undefined) return;
      const [plain, written] = [parseJson(text), parseWritten(text)];
      const told = writtenText(withPassed(kind, plain, written));
      expect(told).toBe(writtenText(requestOf(plain, written, passes)));
      if (told !== writtenText(written)) different += 1;
    }),
    { numRuns: 4_000 },
  );
  expect(different).toBeGreaterThan(100);
});
