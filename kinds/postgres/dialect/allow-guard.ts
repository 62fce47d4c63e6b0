/** Decides which statements name only what `config.allow` opens. Spec: keys-and-doors.md §4. */
import type { InspectedTable } from '../../../proto/driver.ts';
import type { GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { type AllowedTables, notAllowed, undecided } from '../../allow.ts';
import type { AskRows } from './ask.ts';
import type { AllowedFunctions } from './guard.ts';
import type { Inquirer } from './inquirer.ts';
import { namesNothing } from './known-functions.ts';
import { type Meanings, mayBeRows, meaningsOf, type NamedType } from './meanings.ts';
import type { NamedRelation } from './named-kinds.ts';
import { NAMING_FUNCTIONS } from './named-text.ts';
import { reachedCode } from './reached-code.ts';
import { looksOnlyAtArguments, type ReachedFunction } from './server-functions.ts';
import { namesOf, type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** How long a verdict stands, in milliseconds: what the database's names mean may have changed after that. */
const VERDICT_MS = 60_000;

type Refuse = () => GatewayError;

interface Verdict {
  readonly refuse: Refuse | undefined;
  readonly expires: number;
}

/** The default schema. */
const HOME = `SELECT s FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) AS s WHERE s OPERATOR(pg_catalog.<>) 'pg_catalog' LIMIT 1`;

type OpenTable = Pick<InspectedTable, 'namespace' | 'name'>;

/** Verdicts over one pool's database, remembered by text. */
export class AllowGuard {
  readonly #open: AllowedTables;
  readonly #functions: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Verdict>(2_000);

  /** @param functions users' own that are known to be harmless: those that are listed */
  constructor(open: AllowedTables, functions: AllowedFunctions) {
    this.#open = open;
    this.#functions = functions;
  }

  /**
   * Lets a statement pass that names only what is open.
   * @param statement undefined where this parser cannot read it
   * @throws GatewayError FORBIDDEN
   */
  async admit(
    statement: Parsed | undefined,
    types: readonly number[] | undefined,
    inquirer: Inquirer,
  ): Promise<void> {
    if (statement === undefined) throw undecided('A statement that the gateway cannot read');
    const key = `${types?.join() ?? ''} ${statement.text}`;
    const known = inquirer.pristine ? this.#verdicts.get(key) : undefined;
    const isKnown = known !== undefined && known.expires > Date.now();
    const refuse = isKnown
      ? known.refuse
      : (this.#refusalByText(statement) ?? (await this.#refusal(statement, types, inquirer)));
    if (!isKnown && inquirer.pristine && statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(key, { refuse, expires: Date.now() + VERDICT_MS });
    }
    if (refuse) throw refuse();
  }

  /** Which tables are open on a connection. @param ask along the session's search path */
  async openedTo(ask: AskRows): Promise<(table: OpenTable) => boolean> {
    const [row] = await ask({ text: HOME });
    const home = row?.[0] ?? undefined;
    return ({ namespace, name }) => this.#open.opens({ schema: namespace, name }, home);
  }

  /** What the text alone shows. */
  #refusalByText(statement: Parsed): Refuse | undefined {
    const { undecided: what, schemas } = namesOf(statement);
    if (what !== undefined) return () => undecided(what);
    const closed = schemas.find((schema) => !this.#open.opensSchema(schema));
    if (closed !== undefined) return () => notAllowed('Schema', closed);
    const named = statement.references.functions.find(
      ({ schema, name }) => schema === 'pg_catalog' && !isRead(name),
    );
    return named && (() => undecided(`Function ${named.name}`));
  }

  async #refusal(
    statement: Parsed,
    types: readonly number[] | undefined,
    inquirer: Inquirer,
  ): Promise<Refuse | undefined> {
    const { references } = statement;
    const naming = namesOf(statement);
    const relations = naming.relations.filter(({ schema, name }) => !this.#isOpen(schema, name));
    const functions = references.functions.filter(
      ({ schema, name }) => schema === null && !isRead(name),
    );
    // A call of the name of a type is a cast to it.
    const rows = [...naming.relations, ...references.functions].filter(mayBeRows);
    if (relations.length > 0 || functions.length > 0 || rows.length > 0) {
      const meanings = await meaningsOf({ relations, functions, types: rows }, inquirer);
      const closed = [
        ...relations.flatMap((each) => this.#closed(each, meanings)),
        ...rows.flatMap((each) => this.#closedRows(each, meanings)),
      ][0];
      if (closed !== undefined) return () => notAllowed('Table', closed);
      const own = functions.find(({ name }) => meanings.serverOwn.has(name));
      if (own) return () => undecided(`Function ${own.name}`);
    }
    const asked = { statement, types, writes: true };
    const reached = await reachedCode(asked, inquirer, (found) => this.#isUnknown(found));
    return reached && (() => undecided(`Function ${reached.schema}.${reached.name}`));
  }

  /** Whether a name with a schema is open wherever the connection is at home. */
  #isOpen(schema: string | null, name: string): boolean {
    return schema !== null && this.#open.opens({ schema, name }, undefined);
  }

  /** The tables that a name may mean and that are not open: of all along the path, so that none comes to light when another goes. */
  #closed({ schema, name, as }: NamedRelation, { home, schemasOf }: Meanings): string[] {
    const found = schema === null ? (schemasOf.get(name) ?? []) : [schema];
    const isNew = schema === null && (as === 'made' || (found.length === 0 && as !== 'type'));
    return [...(isNew ? [home] : []), ...found]
      .filter((each) => !this.#open.opens({ schema: each, name }, home))
      .map((each) => `${each}.${name}`);
  }

  /** The tables whose rows an array type may hold and that are not open. */
  #closedRows({ schema, name }: NamedType, { home, rowArrays }: Meanings): string[] {
    return rowArrays
      .filter((each) => each.name === name && (schema ?? each.schema) === each.schema)
      .filter(({ of }) => !this.#open.opens(of, home))
      .map(({ of }) => `${of.schema}.${of.name}`);
  }

  #isUnknown(found: ReachedFunction): boolean {
    const { serverOwn, schema, name } = found;
    if (serverOwn || looksOnlyAtArguments(found)) return false;
    if (this.#functions === true) return true;
    return !this.#functions.has(name) && !this.#functions.has(`${schema}.${name}`);
  }
}

/** Whether all that a function of the server names is read. */
function isRead(name: string): boolean {
  return namesNothing(name) || NAMING_FUNCTIONS.has(name);
}
