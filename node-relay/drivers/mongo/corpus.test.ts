/** The public BSON corpus: Extended JSON in both forms, both ways. Source: mongodb/specifications, bson-corpus. */
import { readdirSync, readFileSync } from 'node:fs';
import { BSON } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../../../proto/json.ts';
import { parseOrdered } from '../../../proto/parse-ordered.ts';
import differences from '../../../test/suites/differences/bson.json' with { type: 'json' };
import { documentText } from './from-bson.ts';
import { documentToBson, toBson } from './to-bson.ts';

interface Valid {
  readonly description: string;
  readonly canonical_bson: string;
  readonly canonical_extjson: string;
  readonly relaxed_extjson?: string;
  readonly degenerate_extjson?: string;
  readonly converted_bson?: string;
  readonly lossy?: boolean;
}

interface CorpusFile {
  readonly description: string;
  readonly deprecated?: boolean;
  readonly bson_type: string;
  readonly valid?: readonly Valid[];
  readonly parseErrors?: readonly { readonly description: string; readonly string: string }[];
  readonly decodeErrors?: readonly { readonly description: string; readonly bson: string }[];
}

const FOLDER = new URL('../../../test/conformance/bson-corpus/', import.meta.url);
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map(
    (name) =>
      [name, JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as CorpusFile] as const,
  );

/** What the tests of a long outside ±2^53 in the relaxed form are written as here. Contract §6. */
const LONGS: Readonly<Record<string, string>> = Object.fromEntries(
  differences.flatMap(({ cases }) =>
    cases.map((digits) => [digits, `{"$numberLong":"${digits}"}`]),
  ),
);

function bytesOf(text: string): Uint8Array {
  const parsed = parseOrdered(text);
  if (!isJsonObject(parsed)) throw new Error('not an object');
  return BSON.serialize(documentToBson(parsed, ''), { ignoreUndefined: false });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

function withLongs(text: string): unknown {
  return JSON.parse(text.replace(/-?\d{19}/g, (digits) => LONGS[digits] ?? digits));
}

/** A text's value. Doubles are compared as numbers, as the corpus asks; symbols as the texts that stand for them. */
function plain(text: string): unknown {
  return JSON.parse(text, (name, value: unknown) => {
    if (name === '$numberDouble') return String(Number(value));
    const isSymbol = typeof value === 'object' && value !== null && '$symbol' in value;
    return isSymbol ? value.$symbol : value;
  });
}

/** The files that have such cases, with these: a test without any would expect nothing. */
function filesWith<Case>(casesOf: (file: CorpusFile) => readonly Case[] | undefined) {
  return FILES.flatMap(([name, file]) => {
    const cases = casesOf(file) ?? [];
    return cases.length === 0 ? [] : [[name, cases, file] as const];
  });
}

describe('the BSON corpus', () => {
  test('is whole', () => {
    const count = (each: (file: CorpusFile) => readonly unknown[] | undefined) =>
      FILES.reduce((sum, [, file]) => sum + (each(file)?.length ?? 0), 0);
    expect({
      valid: count((file) => file.valid),
      errors: count((file) => file.parseErrors) + count((file) => file.decodeErrors),
    }).toEqual({ valid: 728, errors: 255 });
  });

  test.each(filesWith(({ valid }) => valid))(
    '%s: writes Extended JSON of BSON, in both forms',
    (_, valid) => {
      for (const { description, canonical_bson, canonical_extjson, relaxed_extjson } of valid) {
        const bytes = Buffer.from(canonical_bson, 'hex');
        const canonical = plain(documentText(bytes, 'canonical'));
        expect([description, canonical]).toEqual([description, plain(canonical_extjson)]);
        if (relaxed_extjson === undefined) continue;
        const relaxed = JSON.parse(documentText(bytes, 'relaxed'));
        expect([description, relaxed]).toEqual([description, withLongs(relaxed_extjson)]);
      }
    },
  );

  const lossless = filesWith(({ valid }) => valid?.filter(({ lossy }) => lossy !== true));
  test.each(lossless)('%s: reads Extended JSON with its types', (_, valid) => {
    for (const each of valid) {
      const { description, canonical_bson, converted_bson, degenerate_extjson } = each;
      for (const form of [each.canonical_extjson, degenerate_extjson ?? each.canonical_extjson]) {
        const bytes = bytesOf(form);
        // Types that are no longer in use are read as those that stand for them.
        const wanted = Buffer.from(converted_bson ?? canonical_bson, 'hex');
        const told = plain(documentText(bytes, 'canonical'));
        expect([description, told]).toEqual([
          description,
          plain(documentText(wanted, 'canonical')),
        ]);
        if (converted_bson === undefined) {
          expect([description, hex(bytes)]).toEqual([description, canonical_bson.toUpperCase()]);
        }
      }
    }
  });

  const relaxed = filesWith(({ valid }) =>
    valid?.flatMap(({ description, relaxed_extjson }) =>
      relaxed_extjson === undefined ? [] : [{ description, relaxed_extjson }],
    ),
  );
  test.each(relaxed)('%s: reads the relaxed form without changing values', (_, valid) => {
    for (const { description, relaxed_extjson } of valid) {
      const again = JSON.parse(documentText(bytesOf(relaxed_extjson), 'relaxed'));
      expect([description, again]).toEqual([description, withLongs(relaxed_extjson)]);
    }
  });

  const refused = filesWith(({ parseErrors }) => parseErrors);
  test.each(refused)('%s: refuses what is no Extended JSON', (_, parseErrors, { bson_type }) => {
    for (const { description, string } of parseErrors) {
      const read = () =>
        bson_type === '0x13' ? toBson({ $numberDecimal: string }, 'd') : bytesOf(string);
      expect(read, description).toThrow();
    }
  });
});
