/** Transitions that need what is large: it is read or parsed first, by turns, and the transition begins anew. docs/heavy-work.md. */
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { NotReady, type Wanted } from '../engine/ready-values.ts';
import { unreadDefinition } from './definitions.ts';
import type { Driver } from './driver.ts';
import type { Keeper } from './keeper.ts';
import { keepParsed, parsedLately, parseText } from './parsed-values.ts';

/** Characters of large values that one transition reads, beyond which it parses them itself: memory has its bounds, too. */
const MOST = 64 * 1024 * 1024;

/** What was parsed for a transition. */
export interface Beforehand {
  readonly values: ReadonlyMap<Wanted, Json>;
  /** Whether more is parsed where it asks. */
  readonly mayAsk: boolean;
}

interface Parsed {
  readonly value: Json;
  readonly characters: number;
}

/** What does transitions, and in whose turn values are parsed. */
type Doer = Pick<Driver, 'keeper' | 'computing'>;

/** A transition of a run, at once unless its definition is large and has to be read first: in pieces, by turns. */
export function whenRead<Value>(
  { keeper, computing }: Doer,
  run: number,
  transition: () => Value | Promise<Value>,
): Value | Promise<Value> {
  const head = keeper.headOf(run);
  const unread = head && unreadDefinition(keeper, head.workflow);
  if (!unread) return transition();
  // What cannot be read fails in the transition, by its rules.
  const read = computing.inTurn(unread).catch(() => undefined);
  return read.then(transition);
}

/** A transition, at once unless it has to wait for a value. @throws what it throws */
export function whenParsed<Value>(
  driver: Doer,
  run: number,
  transition: (beforehand: Beforehand) => Value,
): Value | Promise<Value> {
  try {
    return transition({ values: new Map(), mayAsk: true });
  } catch (thrown) {
    if (!(thrown instanceof NotReady)) throw thrown;
    return again(driver, run, transition, thrown);
  }
}

async function again<Value>(
  { keeper, computing }: Doer,
  run: number,
  transition: (beforehand: Beforehand) => Value,
  first: NotReady,
): Promise<Value> {
  const values = new Map<Wanted, Json>();
  let characters = 0;
  for (let { wanted } = first; ; ) {
    keeper.reset(run);
    const parsed = await computing.inTurn(parseWanted(keeper, run, wanted)).catch(() => undefined);
    if (parsed) values.set(wanted, parsed.value);
    characters += parsed?.characters ?? 0;
    try {
      // What cannot be parsed here the transition parses itself, and fails by its own rules.
      return transition({ values, mayAsk: parsed !== undefined && characters < MOST });
    } catch (thrown) {
      if (!(thrown instanceof NotReady)) throw thrown;
      wanted = thrown.wanted;
    }
  }
}

/** The text is read when it is its turn: many may wait for one value. */
function* parseWanted(keeper: Keeper, run: number, wanted: Wanted): Pieces<Parsed> {
  if (typeof wanted === 'string') {
    const { value } = yield* parseText(wanted);
    return { value, characters: wanted.length };
  }
  const name = keeper.valueName(run, wanted);
  const known = parsedLately(name);
  if (known !== undefined) return { value: known, characters: 0 };
  const text = keeper.text(run, wanted);
  yield;
  const { value } = yield* parseText(text);
  keepParsed(name, text.length, value);
  return { value, characters: text.length };
}
