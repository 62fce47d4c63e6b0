/** Judges how SQLite runs a statement: what it reads must not grow with what it does not ask for. */

/** A line of `EXPLAIN QUERY PLAN`. Lines under one parent are loops, the outermost first. */
export interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** An index of the database. */
export interface Index {
  /** No two rows have the same in it: it is unique, and takes no null, of which there may be many. */
  readonly isUnique: boolean;
  /** Of some rows alone. */
  readonly isPartial: boolean;
  readonly columns: number;
}

/** What the database has. */
export interface Known {
  readonly tables: ReadonlySet<string>;
  readonly indexes: ReadonlyMap<string, Index>;
}

/** What is wrong with a plan. */
interface Fault {
  readonly rule: 'a list for each row' | 'whole table' | 'an organization for each row';
  readonly detail: string;
}

/** What is wrong with it; none where it is as it should be. */
export function faultsOf(lines: readonly PlanLine[], known: Known): Fault[] {
  const parents = new Map(lines.map((line) => [line.id, line]));
  return lines.flatMap((line) => {
    const outer = lines
      .slice(0, lines.indexOf(line))
      .filter(({ parent }) => parent === line.parent);
    const isInner = outer.some(({ detail }) => isLoop(detail) && !isOneRow(detail, known));
    const repeated = isInner || isInside(line, parents);
    return faultOf(line.detail, { isInner, repeated, known });
  });
}

interface Position {
  /** It runs once for each of many rows. */
  readonly isInner: boolean;
  /** So does it, or for each row of what is around it. */
  readonly repeated: boolean;
  readonly known: Known;
}

function faultOf(detail: string, { isInner, repeated, known }: Position): Fault[] {
  if (/^SCAN \S+ VIRTUAL TABLE/.test(detail)) {
    return isInner ? [{ rule: 'a list for each row', detail }] : [];
  }
  const [, table = '', index = ''] =
    /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
  const isPartial = known.indexes.get(index)?.isPartial === true;
  if (known.tables.has(table) && !isPartial) return [{ rule: 'whole table', detail }];
  const ofOrganization = /^SEARCH .*\(org_uuid=\?\)$/.test(detail) && !isOneRow(detail, known);
  return ofOrganization && repeated ? [{ rule: 'an organization for each row', detail }] : [];
}

function isLoop(detail: string): boolean {
  return /^(?:SCAN(?! CONSTANT)|SEARCH|MULTI-INDEX OR)/.test(detail);
}

/** Whether it finds one row at most. */
function isOneRow(detail: string, { indexes }: Known): boolean {
  if (/USING INTEGER PRIMARY KEY \(rowid=\?\)/.test(detail)) return true;
  const [, name = '', terms = ''] = /USING (?:COVERING )?INDEX (\S+) \((.*)\)/.exec(detail) ?? [];
  const index = indexes.get(name);
  return index?.isUnique === true && terms.split('=?').length - 1 === index.columns;
}

/** Whether it stands in what runs once for each row of something. */
function isInside({ parent }: PlanLine, parents: ReadonlyMap<number, PlanLine>): boolean {
  for (let line = parents.get(parent); line; line = parents.get(line.parent)) {
    if (/^(?:CORRELATED|RECURSIVE STEP)/.test(line.detail)) return true;
  }
  return false;
}
