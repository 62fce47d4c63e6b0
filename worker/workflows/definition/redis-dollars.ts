/** JSON paths and stream ids of Redis begin with `$` as expressions do. Spec: workflows.md §2. */
import { isJsonObject, type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import type { Fault } from './findings.ts';
import { parseText } from './value.ts';

/** Where such texts are, by the beginning of the command; among `args` other words are, too. */
const PLACES: readonly {
  readonly type: RegExp;
  readonly members: RegExp;
  readonly isArg: (text: string, index: number) => boolean;
}[] = [
  {
    type: /^\s*json[. ]/i,
    members: /^(?:path|paths)$/,
    isArg: (_text, index) => index > 0,
  },
  { type: /^\s*x[a-z]+/i, members: /^ids?$/, isArg: (text) => text === '$' },
];

/** A request in which each of these texts is escaped; adds a fault for each that the author did not escape. */
export function withEscapes(request: JsonObject, at: string, faults: Fault[]): JsonObject {
  const { type, pipeline } = request;
  const copy = { ...request };
  if (Array.isArray(pipeline)) {
    copy.pipeline = pipeline.map((each, index) =>
      isJsonObject(each) ? withEscapes(each, `${at}.pipeline.${index}`, faults) : each,
    );
  }
  const place = PLACES.find((each) => typeof type === 'string' && each.type.test(type));
  if (place === undefined) return copy;
  for (const [name, value] of Object.entries(request)) {
    const isWhole = place.members.test(name);
    if (!isWhole && name !== 'args') continue;
    const isOne = isWhole ? () => true : place.isArg;
    setMember(copy, name, eachIn(value, `${at}.${name}`, { isOne, faults }));
  }
  return copy;
}

interface DollarContext {
  /** Whether a text is one of these, of several by its index. */
  readonly isOne: (text: string, index: number) => boolean;
  readonly faults: Fault[];
}

function eachIn(value: Json, at: string, around: DollarContext): Json {
  if (!Array.isArray(value)) return escaped(value, at, { ...around, index: 0 });
  return value.map((each, index) => escaped(each, `${at}.${index}`, { ...around, index }));
}

function escaped(
  value: Json,
  at: string,
  { isOne, faults, index }: DollarContext & { readonly index: number },
): Json {
  if (typeof value !== 'string' || !isBare(value) || !isOne(value, index)) return value;
  faults.push({
    path: at,
    message: `is an expression here: write "$${value.slice(0, SHOWN)}" for the text itself, or $(…) for an expression`,
  });
  return `$${value}`;
}

/** An expression that is written as those paths and ids are. */
function isBare(text: string): boolean {
  return parseText(text).sort === 'expression' && !text.startsWith('$(');
}

/** Characters of a text that a message repeats. */
const SHOWN = 64;
