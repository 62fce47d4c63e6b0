/** Decides which requests name only what `config.allow` opens. Spec: keys-and-doors.md §4. */
import { type AllowedTables, notAllowed, undecided } from '../../../kinds/allow.ts';
import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import { ALLOWED_SETTINGS } from '../../../kinds/clickhouse/settings.ts';
import { noVerb } from '../../../kinds/verbs.ts';
import type { Call, InspectedTable } from '../../../proto/driver.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Database } from './database.ts';
import { doubtsOf } from './doubts.ts';
import { type AllowedFunctions, namedByParameters } from './guard.ts';
import { tokensOf } from './lexer.ts';
import { isMark, isName, isWord } from './marks.ts';
import { type NamedTable, type Naming, namingOf } from './named.ts';
import { oneStatement, REMEMBERED_MAX_CHARACTERS } from './statement.ts';
import { existingTables } from './table-names.ts';
import { userFunctionIn } from './user-functions.ts';

/** Functions that name tables, dictionaries or sets by their arguments. */
const NAMING =
  /^(?:dict(?:get|has|isin)\w*|joinget\w*|(?:global)?(?:not)?(?:null)?in(?:ignoreset)?|evalmlmethod|pg_?table\w*|getmaxtablename\w*)$/i;

/** What an INSERT writes begins with one of them. */
const BEGIN_VALUES = ['SELECT', 'WITH', 'FROM', 'VALUES'];

/** Readings that one pool keeps, and their bytes together, roughly. */
const REMEMBERED = { most: 2_000, bytes: 4 * 1024 * 1024, name: 100 };

interface Reading {
  readonly naming: Naming;
  readonly weight: number;
}

/** Looks at the requests of one pool. */
export class AllowGuard {
  readonly #open: AllowedTables;
  readonly #functions: ReadonlySet<string>;
  readonly #home: string;
  readonly #readings = new LruMap<string, Reading>(REMEMBERED.most, {
    most: REMEMBERED.bytes,
    of: ({ weight }) => weight,
  });

  /**
   * @param functions users' own that are known to be harmless: those that are listed
   * @param home the connection's database
   */
  constructor(open: AllowedTables, functions: AllowedFunctions, home: string) {
    this.#open = open;
    this.#functions = functions === true ? new Set() : functions;
    this.#home = home;
  }

  /** Lets a request pass that names only what is open. @throws GatewayError FORBIDDEN, BAD_REQUEST, and what a look-up fails with */
  async admit(database: Database, request: ClickhouseRequest, call: Call): Promise<void> {
    if (request.type === 'insert') {
      this.#demand({ database: request.database, name: request.table });
      return;
    }
    const statement = oneStatement(request.query);
    const naming = this.#read(request.query);
    if (naming.undecided !== undefined) {
      throw noVerb('ClickHouse', statement.kind) ?? undecided(naming.undecided);
    }
    if (namedByParameters(statement, request.params).length > 0)
      throw undecided('A name in a parameter');
    const set = statement.sets.find((name) => !ALLOWED_SETTINGS.includes(name));
    if (set !== undefined) throw undecided(`Setting ${set.slice(0, 64)}`);
    const given = new Set(naming.given);
    for (const table of naming.tables) if (!isGiven(table, given)) this.#demand(table);
    await this.#demandGiven(database, naming, given, call);
    const own = await userFunctionIn(database, statement, call, this.#functions);
    if (own !== undefined) throw undecided(`Function ${own}`);
  }

  /** Whether a table is open. */
  opens({ namespace, name }: Pick<InspectedTable, 'namespace' | 'name'>): boolean {
    return this.#isOpen({ database: namespace, name });
  }

  /** A name of WITH may be a table's as well, where WITH does not reach. */
  async #demandGiven(
    database: Database,
    { tables }: Naming,
    given: ReadonlySet<string>,
    call: Call,
  ): Promise<void> {
    const closed = tables.filter((each) => isGiven(each, given) && !this.#isOpen(each));
    if (closed.length === 0) return;
    const names = [...new Set(closed.map(({ name }) => name))];
    const [there] = await existingTables(database, this.#home, names, call);
    if (there !== undefined) throw notAllowed('Table', `${this.#home}.${there}`);
  }

  #demand(table: NamedTable): void {
    if (this.#isOpen(table)) return;
    throw notAllowed('Table', `${table.database ?? this.#home}.${table.name}`);
  }

  #isOpen({ database = this.#home, name }: NamedTable): boolean {
    return this.#open.opens({ schema: database, name }, this.#home);
  }

  #read(text: string): Naming {
    const known = this.#readings.get(text);
    if (known) return known.naming;
    const tokens = tokensOf(text);
    const all = 'unreadable' in tokens ? [] : tokens.filter((token) => !isMark(token, ';'));
    const naming = namingOf(all);
    const unknown = naming.undecided === undefined ? this.#unknownIn(all) : undefined;
    const reading =
      unknown === undefined ? naming : { ...naming, undecided: `Function ${unknown}` };
    if (text.length <= REMEMBERED_MAX_CHARACTERS) {
      const names = reading.tables.length + reading.given.length;
      const weight = 2 * text.length + REMEMBERED.name * names;
      this.#readings.set(text, { naming: reading, weight });
    }
    return reading;
  }

  /** A function that is not known to name nothing. */
  #unknownIn(tokens: Parameters<typeof doubtsOf>[0]): string | undefined {
    const naming = tokens.find(
      (token, at) =>
        isName(token) &&
        NAMING.test(token.text) &&
        !isMark(tokens[at - 1], '.') &&
        !isGrammar(token),
    );
    if (naming) return naming.text.slice(0, 64);
    const isInsert = isWord(tokens[0], 'INSERT');
    // The target's columns follow it as arguments follow a function.
    const from = isInsert
      ? tokens.findIndex((token) => BEGIN_VALUES.some((word) => isWord(token, word)))
      : 0;
    const doubt = doubtsOf(from < 0 ? [] : tokens.slice(from)).find(
      ({ name }) => !this.#functions.has(name.toLowerCase()),
    );
    return doubt?.name.slice(0, 64);
  }
}

/** The operator IN, whose members are looked at where they are. */
function isGrammar(token: Parameters<typeof isWord>[0]): boolean {
  return isWord(token, 'IN');
}

function isGiven({ database, name }: NamedTable, given: ReadonlySet<string>): boolean {
  return database === undefined && given.has(name);
}
