/** Tables that a log names, with what is known of those that are watched: looked up again once a statement may have changed them. */
import type { ChangeFault } from '../../../../proto/changes.ts';
import { Unreadable } from '../../loss.ts';
import type { LoggedTable, LookedUp } from './columns.ts';
import { tableFaults } from './row-change.ts';
import { encodersOf, type TableMap } from './rows.ts';
import type { LogEncoder } from './values.ts';

/** A table whose rows can be read. */
interface Mapped {
  readonly table: LoggedTable;
  readonly encoders: readonly LogEncoder[];
}

/** Statements that change tables without their names. */
const OF_DATABASES = /\b(?:drop|alter)\s+(?:database|schema)\b/;
const OTHER_COLUMNS = 'has other columns by now than when it changed: those changes are not told';

export class ReadTables {
  readonly #lookUp: () => Promise<readonly LookedUp[]>;
  readonly #mapped = new Map<number, Mapped | undefined>();
  #looked: readonly LookedUp[] = [];
  #isStale = true;
  #told = '';

  constructor(lookUp: () => Promise<readonly LookedUp[]>) {
    this.#lookUp = lookUp;
  }

  /** The names of the request, as they were looked up last. */
  get looked(): readonly LookedUp[] {
    return this.#looked;
  }

  /** The table of an event of rows; undefined where nobody watches it, or it cannot be read. */
  get(id: number): Mapped | undefined {
    return this.#mapped.get(id);
  }

  /** Takes a table that the events after it name. @returns what cannot be told */
  async map(map: TableMap): Promise<ChangeFault[]> {
    const faults = this.#isStale ? await this.lookUp() : [];
    const table = this.#looked
      .flatMap((each) => ('table' in each ? [each.table] : []))
      .find(({ schema, name }) => schema === map.schema && name === map.name);
    this.#mapped.set(map.id, undefined);
    if (table === undefined) return faults;
    try {
      this.#mapped.set(map.id, { table, encoders: encodersOf(map, table) });
      return faults;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return [...faults, ...tableFaults(this.#looked, map, OTHER_COLUMNS)];
    }
  }

  /** Each statement names its tables again. */
  forget(): void {
    this.#mapped.clear();
  }

  /** A statement may have changed tables: those that it names are looked up at once, so that one that is gone is told though nothing follows. @returns as `lookUp` */
  async change(statement: string): Promise<ChangeFault[]> {
    this.#isStale = true;
    const text = statement.toLowerCase();
    const isNamed = this.#looked.some(({ watched: { name } }) =>
      text.includes(name.slice(name.lastIndexOf('.') + 1).toLowerCase()),
    );
    return isNamed || OF_DATABASES.test(text) ? this.lookUp() : [];
  }

  /** Looks all names up. @returns what is wrong with them, unless that was told before */
  async lookUp(): Promise<ChangeFault[]> {
    this.#looked = await this.#lookUp();
    this.#mapped.clear();
    this.#isStale = false;
    const faults = this.#looked.flatMap((each) =>
      'fault' in each ? [{ watched: each.watched.name, message: each.fault }] : [],
    );
    const told = JSON.stringify(faults);
    const isKnown = told === this.#told;
    this.#told = told;
    return isKnown ? [] : faults;
  }
}
