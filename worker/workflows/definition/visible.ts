/** What expressions may name of a run: actions that can have run before, and are seen from there. Spec: workflows.md §2. */
import { truncated } from '../../../proto/truncate.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { ValueRead } from '../../language/expressions/index.ts';
import type { Draft, List } from './draft.ts';
import { COST, type RunStand, type Site } from './expression.ts';
import { nameable } from './ids.ts';
import { SHOWN } from './members.ts';
import type { Structure } from './structure.ts';
import type { Action, LoopAction, RootName } from './tree.ts';
import { FoundUses } from './uses.ts';

const ROOTS: ReadonlySet<string> = new Set<RootName>(['input', 'trigger', 'run', 'error']);

/**
 * Actions that are looked at for expressions that read `$` or `$.actions` as a whole, all of a
 * definition counted: some 60 ms. Spec silent.
 */
const LOOKS_MAX = 250_000;
/** Looks that cost as much as a part of a value. */
const LOOKS_OF_PART = 10;
const TOO_MANY = `reads all actions that can be seen here, and the expressions of a definition may look at ${LOOKS_MAX} together: name what is read, as $.actions.<id>`;

/** Where a reader is in one list. */
interface ReaderPosition {
  readonly list: List;
  readonly action: Draft;
  /** Whether the action itself has run. */
  readonly isAfter: boolean;
}

/** What surrounds a reader. */
interface Position {
  readonly standings: readonly ReaderPosition[];
  /** Ids of the loops whose element it belongs to. */
  readonly loops: ReadonlySet<string>;
  /** Names that they give. */
  readonly names: ReadonlySet<string>;
  /** Whether it is of a run at its end, or beside any action that failed. */
  readonly seesAll: boolean;
  /** The actions that can be seen from there, once something reads them all. */
  visible?: ReadonlyMap<string, 'all'>;
}

/** Checks every expression of a definition, and tells it what it reads; answers how many ids of actions it was told. */
export function* checkVisible(structure: Structure): Pieces<number> {
  const checks = new Checks(structure);
  const { sites, pace } = structure.drafts;
  for (const site of sites) {
    const before = checks.looked;
    checks.check(site);
    if (pace.isOver(COST.part + (checks.looked - before) / LOOKS_OF_PART)) yield;
  }
  return checks.looked;
}

/** What is done besides a run: none of it can name them. */
const NEVER_SEEN: ReadonlySet<string> = new Set(['compensation', 'escalation']);

class Checks {
  /** Actions that were looked at. */
  looked = 0;
  readonly #structure: Structure;
  readonly #positions = new Map<string, Position>();
  /** By the fallback that they share. */
  readonly #sharers = new Map<string, Draft[]>();
  readonly #outside: Position = {
    ...{ standings: [], loops: new Set(), names: new Set() },
    seesAll: true,
  };

  constructor(structure: Structure) {
    this.#structure = structure;
    for (const action of structure.drafts.byId.values()) {
      const { fallback } = action.handler;
      if (fallback === undefined) continue;
      const known = this.#sharers.get(fallback.id);
      if (known === undefined) this.#sharers.set(fallback.id, [action]);
      else known.push(action);
    }
  }

  check({ expr, stand, reads }: Site): void {
    if (stand.root === 'delivery') return;
    const { report } = this.#structure.drafts;
    const uses = new FoundUses();
    const before = this.looked;
    for (const read of reads) {
      const { line, column } = read.place;
      const message =
        stand.root === 'input' || stand.root === 'trigger'
          ? oneMember(read, stand.root, uses)
          : this.#read(read, stand, uses);
      if (message !== undefined) report.add(expr.where, message, { line, column });
    }
    if (this.looked > before && !this.#mayLook()) report.add(expr.where, TOO_MANY);
    expr.uses = uses;
  }

  #read(read: ValueRead, stand: RunStand, uses: FoundUses): string | undefined {
    const [name, id, member] = read.steps;
    const position = this.#positionOf(stand);
    if (name === undefined) return this.#whole(position, uses);
    if (name !== 'actions') {
      if (ROOTS.has(name))
        uses.roots.add(name as RootName); // Just looked at.
      else if (position.names.has(name)) uses.names.add(name);
      return undefined;
    }
    if (id === undefined) {
      if (read.isOpen) return 'names an action by a value: write its id, as $.actions.<id>';
      this.#all(position, uses);
      return undefined;
    }
    const message = this.#faultOf(position, id, member);
    if (message === undefined) this.looked += uses.add(id, member);
    return message;
  }

  /** A definition that is stored was looked through when it was. */
  #mayLook(): boolean {
    const { lookups } = this.#structure.drafts;
    return this.looked <= LOOKS_MAX || lookups.isStored === true;
  }

  /** Who reads `$` as a whole reads everything. */
  #whole(position: Position, uses: FoundUses): undefined {
    for (const each of ROOTS) uses.roots.add(each as RootName); // Names of it.
    for (const name of position.names) uses.names.add(name);
    this.#all(position, uses);
  }

  #all(position: Position, uses: FoundUses): void {
    position.visible ??= this.#visibleFrom(position);
    this.looked += uses.addAll(position.visible);
  }

  #visibleFrom(position: Position): ReadonlyMap<string, 'all'> {
    const { byId } = this.#structure.drafts;
    const visible = new Map<string, 'all'>();
    this.looked += byId.size;
    if (!this.#mayLook()) return visible;
    for (const id of byId.keys()) {
      if (this.#faultOf(position, id, undefined) === undefined) visible.set(id, 'all');
    }
    return visible;
  }

  /** Why an action cannot be named; undefined when it can. */
  #faultOf(position: Position, id: string, member: string | undefined): string | undefined {
    const { byId, report } = this.#structure.drafts;
    const action = byId.get(id);
    const shown = truncated(id, SHOWN);
    if (action === undefined) {
      return `names no action: "${shown}"${report.hint(shown, nameable(byId.keys()))}`;
    }
    if (member === 'url' && isCallback(action)) {
      const missing = this.#loopsOf(action).find((loop) => !position.loops.has(loop));
      return missing === undefined ? undefined : inLoop(shown, missing);
    }
    return this.#hidden(position, action);
  }

  /** Climbs from an action until a list is found that the reader is part of, too. */
  #hidden(position: Position, action: Draft): string | undefined {
    const { id } = action;
    let each = action;
    for (;;) {
      const list = this.#listOf(each);
      const at = position.standings.find((standing) => standing.list === list);
      if (at !== undefined) return this.#order(at, each, id);
      const { place } = each;
      if (place.in === 'workflow') return position.seesAll ? undefined : never(id);
      if (place.in === 'loop') return inLoop(id, place.of);
      if (NEVER_SEEN.has(place.in)) return never(id);
      const container = this.#structure.containerOf(each);
      if (container === undefined) return this.#shared(position, each, id);
      each = container;
    }
  }

  /** A fallback that many share has run where it has for one of them. */
  #shared(position: Position, action: Draft, id: string): string | undefined {
    if (position.seesAll) return undefined;
    for (const each of this.#sharers.get(action.id) ?? []) {
      this.looked += 1;
      if (!this.#mayLook()) break;
      if (this.#hidden(position, each) === undefined) return undefined;
    }
    return never(id);
  }

  #order({ list, action, isAfter }: ReaderPosition, each: Draft, id: string): string | undefined {
    if (each === action) {
      if (isAfter) return undefined;
      return id === action.id ? `is "${id}" itself, which has not run then` : beside(id);
    }
    const order = this.#structure.orderOf(action);
    if (order?.isBefore(each, action) === true) return undefined;
    return list.isGraph ? `names "${id}", which this action does not come after` : never(id);
  }

  #listOf(action: Draft): List | undefined {
    return this.#structure.orderOf(action)?.list;
  }

  #loopsOf(action: Draft): readonly string[] {
    const loops: string[] = [];
    let each: Draft | undefined = action;
    for (; each !== undefined; each = this.#structure.containerOf(each)) {
      if (each.place.in === 'loop') loops.push(each.place.of);
    }
    return loops;
  }

  #positionOf(stand: RunStand): Position {
    if (stand.root !== 'run') return this.#outside;
    const key = `${stand.when}:${stand.action.id}`;
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    const found = this.#standingsOf(stand.action.id, stand.when === 'after');
    this.#positions.set(key, found);
    return found;
  }

  /** From the inside out. */
  #standingsOf(id: string, after: boolean): Position {
    const standings: ReaderPosition[] = [];
    const loops = new Set<string>();
    let isAfter = after;
    let each = this.#structure.drafts.byId.get(id);
    while (each !== undefined) {
      const list = this.#listOf(each);
      if (list !== undefined) standings.push({ list, action: each, isAfter });
      const { place } = each;
      if (place.in === 'loop') loops.add(place.of);
      isAfter = place.in === 'fallback' || place.in === 'compensation' || place.in === 'escalation';
      if (isAfter && 'of' in place && place.of === undefined) {
        return { standings, loops, names: this.#namesOf(loops), seesAll: true };
      }
      each = this.#structure.containerOf(each);
    }
    return { standings, loops, names: this.#namesOf(loops), seesAll: false };
  }

  #namesOf(loops: ReadonlySet<string>): ReadonlySet<string> {
    const names = [...loops].flatMap((id) => {
      const { as, index } = this.#structure.drafts.byId.get(id) as Partial<LoopAction>; // A loop's.
      return [as, index].filter((name) => name !== undefined);
    });
    return new Set(names);
  }
}

function oneMember(
  read: ValueRead,
  root: 'input' | 'trigger',
  uses: FoundUses,
): string | undefined {
  if (read.steps[0] !== root) return `may read $.${root} alone: nothing else is known then`;
  uses.roots.add(root);
  return undefined;
}

function isCallback(action: Draft): boolean {
  const { type, wait } = action as Partial<Extract<Action, { type: 'wait' }>>; // Of another type they are not there.
  return type === 'wait' && wait?.mode === 'callback';
}

function never(id: string): string {
  return `names "${id}", which cannot have run before`;
}

function beside(id: string): string {
  return `names "${id}", which runs beside this action, or in its place`;
}

function inLoop(id: string, loop: string): string {
  return `names "${id}", which is inside the loop "${loop}": its output is in $.actions.${loop}.output.results`;
}
