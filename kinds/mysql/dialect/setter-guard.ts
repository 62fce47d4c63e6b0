/** Decides which statements could set what `config.session` says about their caller. Spec: keys-and-doors.md §3. */
import { LruMap } from '../../../proto/lru-map.ts';
import { mayNotSet } from '../../refusals.ts';
import { noVerb } from '../../verbs.ts';
import { type AllowedFunctions, type Suspect, suspectIn } from './allowed-functions.ts';
import type { Catalog } from './catalog.ts';
import type { Token } from './lexer.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** Statements that set nothing by themselves; what they call is looked at besides that. */
const SETS_NOTHING = new Set(
  `SELECT INSERT UPDATE DELETE REPLACE VALUES TABLE WITH SHOW EXPLAIN DESC DESCRIBE
  COMMIT ROLLBACK SAVEPOINT HANDLER LOCK UNLOCK USE CHECKSUM HELP`.split(/\s+/),
);
/** Of those that are something else with another second word, what they may go on with. */
const SECOND: { readonly [first: string]: readonly string[] } = {
  BEGIN: ['', 'WORK'],
  START: ['TRANSACTION'],
  RELEASE: ['SAVEPOINT'],
  ANALYZE: ['SELECT', 'WITH', 'VALUES', 'FORMAT', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE'],
};

/** Functions of servers that change something, but no variable. */
const HARMLESS = new Set(
  'NEXTVAL SETVAL LASTVAL GET_LOCK RELEASE_LOCK RELEASE_ALL_LOCKS LOAD_FILE'.split(' '),
);

/** Words between INSERT or REPLACE and the name of its table. */
const MODIFIERS = new Set(['LOW_PRIORITY', 'DELAYED', 'HIGH_PRIORITY', 'IGNORE', 'INTO']);

/** How long a verdict is valid, in milliseconds: a function made meanwhile is noticed after that. */
const VERDICT_MS = 60_000;

interface Verdict {
  readonly suspect: Suspect | undefined;
  readonly expires: number;
}

/** Verdicts over one pool's database, remembered by text. */
export class SetterGuard {
  readonly #allowed: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Verdict>(2_000);

  constructor(allowed: AllowedFunctions) {
    this.#allowed = allowed;
  }

  /**
   * Refuses a statement that could set, or that calls code of users which `allow_functions` does not name. What hangs
   * on its tables, such as views and triggers, is their owner's.
   * @param fresh its database may be another one than those before had
   * @throws GatewayError FORBIDDEN, BAD_REQUEST
   */
  async admit(statement: Parsed, catalog: Catalog, fresh: boolean): Promise<void> {
    const setter = setterIn(statement);
    if (setter !== undefined) {
      throw noVerb('MySQL and MariaDB', statement.first) ?? mayNotSet(setter);
    }
    const suspect = await this.#suspectIn(statement, catalog, fresh);
    if (suspect) throw mayNotSet(`Function ${suspect.name}`, suspect.name);
  }

  async #suspectIn(statement: Parsed, catalog: Catalog, fresh: boolean) {
    const { text } = statement;
    const known = fresh ? undefined : this.#verdicts.get(text);
    if (known && known.expires > Date.now()) return known.suspect;
    const suspect = await suspectIn(withoutTarget(statement), catalog, this.#allowed, HARMLESS);
    if (!fresh && text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(text, { suspect, expires: Date.now() + VERDICT_MS });
    }
    return suspect;
  }
}

/** What in a statement could set by itself, as a refusal names it. */
function setterIn({ first, second, prefixed, tokens, text }: Parsed): string | undefined {
  if (prefixed) return 'SET';
  const seconds = SECOND[first];
  const isKnown = seconds ? seconds.includes(second) : SETS_NOTHING.has(first);
  if (!isKnown) return first === '' ? 'This statement' : first;
  // A program goes on behind its first semicolon.
  const length = (tokens.at(-1)?.end ?? 0) - (tokens[0]?.start ?? 0);
  if (text.length > length) return first;
  const setters = tokens.map((token, at) => settingToken(token, tokens[at + 1]));
  return setters.find((each) => each !== undefined);
}

function settingToken({ sort, text }: Token, next: Token | undefined): string | undefined {
  if (sort === 'versioned') return 'A comment with a version';
  if (sort === 'unclear') return text;
  if (sort === 'sign' && text === ':=') return 'An assignment of a variable';
  return text === 'INTO' && next?.sort === 'variable' ? 'INTO a variable' : undefined;
}

/** Without the table that rows go to: a list of its columns may follow, as arguments follow a function. */
function withoutTarget({ first, tokens }: Parsed): readonly Token[] {
  if (first !== 'INSERT' && first !== 'REPLACE') return tokens;
  let at = 1;
  while (tokens[at]?.sort === 'word' && MODIFIERS.has(tokens[at]?.text ?? '')) at += 1;
  while (tokens[at + 1]?.text === '.' && tokens[at + 1]?.sort === 'sign') at += 2;
  return tokens.slice(at + 1);
}
