/** Decides which statements name only what `config.allow` opens. Spec: keys-and-doors.md §4. */
import type { InspectedTable } from '../../../proto/driver.ts';
import { type AllowedTables, notAllowed, undecided } from '../../allow.ts';
import { noVerb } from '../../verbs.ts';
import { type AllowedFunctions, suspectIn } from './allowed-functions.ts';
import { calledNames } from './calls.ts';
import type { Catalog } from './catalog.ts';
import { isRefused } from './functions.ts';
import { type Naming, namingOf } from './named.ts';
import type { Parsed } from './statement.ts';

/** They name nothing, although a read does not call them. */
const NAMING_NOTHING = new Set(['GET_LOCK', 'LAST_INSERT_ID', 'RELEASE_ALL_LOCKS', 'RELEASE_LOCK']);

/** Whether it defines a table, in which servers let no function of users be; its names ahead of parentheses are none. */
function isDefinition({ first, tokens }: Parsed): boolean {
  if (first !== 'CREATE' && first !== 'ALTER') return false;
  return !tokens.some(({ sort, text }) => sort === 'word' && QUERIES.has(text));
}

const QUERIES = new Set(['SELECT', 'VALUES', 'WITH']);

/** Looks at the statements of one pool. */
export class AllowGuard {
  readonly #open: AllowedTables;
  readonly #functions: AllowedFunctions;
  readonly #home: string;
  readonly #namings = new WeakMap<Parsed, Naming>();

  /**
   * @param functions users' own that are known to be harmless: those that are listed
   * @param home the connection's database, empty for none
   */
  constructor(open: AllowedTables, functions: AllowedFunctions, home: string) {
    this.#open = open;
    this.#functions = functions === true ? new Set() : functions;
    this.#home = home;
  }

  /** Lets a statement pass that names only what is open. @throws GatewayError FORBIDDEN, BAD_REQUEST */
  async admit(statement: Parsed, catalog: Catalog): Promise<void> {
    const { tables, undecided: what } = this.#namingOf(statement);
    if (what !== undefined) throw noVerb('MySQL and MariaDB', statement.first) ?? undecided(what);
    for (const { schema = this.#home, name } of tables) {
      if (!this.#open.opens({ schema, name }, this.#home)) {
        throw notAllowed('Table', schema === '' ? name : `${schema}.${name}`);
      }
    }
    const { tokens } = statement;
    // In definitions too: a default may take from a sequence.
    const called = calledNames(tokens)
      .map((name) => name.toUpperCase())
      .find((name) => isRefused(name) && !NAMING_NOTHING.has(name));
    const unknown = called ?? (await this.#suspectIn(statement, catalog));
    if (unknown !== undefined) throw undecided(`Function ${unknown}`);
  }

  /** A function of users that is not known to be harmless. */
  async #suspectIn(statement: Parsed, catalog: Catalog): Promise<string | undefined> {
    if (isDefinition(statement)) return undefined;
    return (await suspectIn(statement.tokens, catalog, this.#functions))?.name;
  }

  /** Whether a table is open, of this database where it has none. */
  opens(table: Pick<InspectedTable, 'namespace' | 'name'>): boolean {
    const schema = table.namespace === '' ? this.#home : table.namespace;
    return this.#open.opens({ schema, name: table.name }, this.#home);
  }

  #namingOf(statement: Parsed): Naming {
    const known = this.#namings.get(statement) ?? namingOf(statement);
    this.#namings.set(statement, known);
    return known;
  }
}
