/** All that a run will reach, and whose rights count where. */
import { demand } from '../access/access.ts';
import type { Demand } from '../access/demand.ts';
import { authorGone } from '../access/door/door.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { EndpointRow, PlacementRow } from '../db/schema.ts';
import type { TemplateRow } from '../db/templates.ts';
import { type Endpoint, endpointNotFound } from '../endpoints/access.ts';
import { effectiveLevel, type Level } from '../levels.ts';
import { comparedName } from '../shapes/ids.ts';
import { templateNotFound } from '../templates/access.ts';
import type { Rights } from './doors/rights.ts';
import { type Ask, asksOf, type Graph, type Step } from './doors/walk.ts';
import type { selectReferences } from './store.ts';

/** A reference as it is stored. */
type StoredReference = Awaited<ReturnType<typeof selectReferences>>[number];

/** What was found; it holds nothing about a caller. */
export interface ReachRows {
  /** Each in the version in force, or that it is pinned to. */
  readonly templates: readonly TemplateRow[];
  readonly references: readonly StoredReference[];
  readonly endpoints: readonly EndpointRow[];
  readonly placements: readonly PlacementRow[];
  readonly nodes: readonly NodeRow[];
  /** What each template reaches by itself. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** UUIDs of the authors of doors, by the UUIDs of these; null where no account stored the version. */
  readonly doors: ReadonlyMap<string, string | null>;
  /** UUIDs of templates that are pinned to another version than the one in force, where either is a door. */
  readonly stale: ReadonlySet<string>;
}

/** The template where a run begins. */
export interface Root {
  readonly uuid: string;
  readonly version: string;
  /** Whether its version in force has its author's rights. */
  readonly isDoorInForce: boolean;
}

/** Whose rights count. */
export interface Holders {
  /** Who runs it. */
  readonly own: Rights;
  /** Authors of doors, by the UUIDs of these. */
  readonly authors: ReadonlyMap<string, Rights>;
  /** Who called, where that is not who runs it; only where an endpoint is told of it. */
  readonly calledBy: Rights | undefined;
}

/** What is reached, by what it is called. */
export class Reach implements Graph {
  readonly #found: ReachRows;
  readonly #holders: Holders;
  readonly root: Root | undefined;
  readonly #templates = new Map<string, TemplateRow>();
  readonly #endpoints = new Map<string, EndpointRow>();

  constructor(found: ReachRows, holders: Holders, root?: Root) {
    this.#found = found;
    this.#holders = holders;
    this.root = root;
    for (const row of found.templates) this.#templates.set(row.id, row).set(row.uuid, row);
    for (const row of found.endpoints) this.#endpoints.set(row.id, row).set(row.uuid, row);
  }

  /** Every template that is reached. */
  get templates(): readonly TemplateRow[] {
    return this.#found.templates;
  }

  /** Every endpoint that is reached. */
  get endpoints(): readonly EndpointRow[] {
    return this.#found.endpoints;
  }

  /** Every door that is reached, with its author's UUID. */
  get doors(): ReadonlyMap<string, string | null> {
    return this.#found.doors;
  }

  /** How who runs it stands on the organization. */
  get onOrganization(): Policy {
    return this.#holders.own.onOrganization;
  }

  template(named: string): TemplateRow | undefined {
    return this.#templates.get(comparedName(named));
  }

  uuidOf(named: string): string {
    const row = this.template(named);
    if (!row) throw templateNotFound(named);
    return row.uuid;
  }

  isDoor(uuid: string): boolean {
    return this.#found.doors.has(uuid);
  }

  isStale(uuid: string): boolean {
    return this.#found.stale.has(uuid);
  }

  stepsOf(uuid: string): readonly Step[] {
    return this.#found.steps.get(uuid) ?? [];
  }

  /**
   * @param by UUID of the door whose author's rights count; left out those of who runs it
   * @throws GatewayError ENDPOINT_NOT_FOUND
   */
  endpoint(named: string, by?: string): Endpoint {
    const row = this.#endpoints.get(comparedName(named));
    if (!row) throw endpointNotFound(named);
    const { placements: all, nodes } = this.#found;
    const placements = all.filter(({ endpointUuid }) => endpointUuid === row.uuid);
    const policy = this.#rightsOf(by).policyOn('endpoint', row.uuid);
    const { own, calledBy = by === undefined ? undefined : own } = this.#holders;
    if (calledBy === undefined || row.callerSettings === null) {
      return { row, placements, nodes, policy };
    }
    const told = { caller: calledBy.ctx.caller, policy: calledBy.policyOn('endpoint', row.uuid) };
    return { row, placements, nodes, policy, calledBy: told };
  }

  kindOf(named: string): EndpointRow['kind'] | undefined {
    return this.#endpoints.get(comparedName(named))?.kind;
  }

  /** What a template reaches by itself, in one of its versions. */
  referencesOf(uuid: string): readonly StoredReference[] {
    return this.#found.references.filter(({ templateUuid }) => templateUuid === uuid);
  }

  /** Which template that is reached nests this one: what is in force leads to no other, but an older version may. */
  wayBackTo({ uuid, id }: Pick<TemplateRow, 'uuid' | 'id'>): string | undefined {
    const found = this.#found.references.find(
      ({ kind, templateUuid, target }) =>
        kind === 'template' && templateUuid !== uuid && (target === id || target === uuid),
    );
    return found && this.#templates.get(found.templateUuid)?.id;
  }

  /** Whether anything but reads may be sent to endpoints, by whichever template. */
  get writes(): boolean {
    return this.#found.references.some(
      ({ kind, level }) => kind === 'endpoint' && level !== 'Read',
    );
  }

  /** UUID of the door whose author's rights the root's own requests have; undefined: those of who runs it. */
  get begin(): string | undefined {
    return this.root && this.isDoor(this.root.uuid) ? this.root.uuid : undefined;
  }

  /** What a run from the root asks beyond the root itself. @throws GatewayError TEMPLATE_NOT_FOUND */
  get asks(): readonly Ask[] {
    return this.root ? asksOf(this, this.stepsOf(this.root.uuid), this.begin) : [];
  }

  /** The context in which the requests of a door, or of who runs it, are sent. @throws GatewayError FORBIDDEN */
  contextOf(by: string | undefined): Context {
    return this.#rightsOf(by).ctx;
  }

  /**
   * Refuses what is gone, and nested templates that the caller may not read: a render sends
   * nothing to endpoints, and needs no rights there, but shows what is nested, behind doors too. Contract §4.
   * @throws GatewayError ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, FORBIDDEN
   */
  demandNested(): Demand[] {
    return this.#found.references.flatMap(({ kind, target }) => {
      if (kind === 'template') return [this.#demandOn({ kind, id: target, level: 'Read' })];
      this.endpoint(target);
      return [];
    });
  }

  /**
   * Refuses a run from the root that somebody has not the rights for: who runs it on the root, and on what that
   * reaches they or the author of a door. Contract §4, rows on runs of templates.
   * @param policy how who runs it stands on the root, on which Read was demanded
   * @param isNested a workflow runs it: of a template that is no door Read is enough
   * @throws GatewayError ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, FORBIDDEN
   */
  demandRun({ id, policy }: { readonly id: string; readonly policy: Policy }, isNested: boolean) {
    const isDoor = this.begin !== undefined;
    const usual = this.writes && (isDoor || !isNested) ? 'Write' : 'Read';
    const needed = this.root && this.isStale(this.root.uuid) ? 'Admin' : usual;
    const standing = { held: effectiveLevel(policy), policy, params: { template: id } };
    const own = needed === 'Read' ? [] : [demand(standing, needed)];
    return [...own, ...this.asks.map((each) => this.#demandOn(each))];
  }

  /**
   * Refuses who runs, or stores, something of their own that reaches all this, and the authors of nested doors.
   * @throws GatewayError ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, FORBIDDEN
   */
  demandAll(direct: readonly Step[]): Demand[] {
    return asksOf(this, direct).map((each) => this.#demandOn(each));
  }

  /** As `demandAll`, of the caller alone and of what is still there: what is gone, or a lowered author, keeps nobody from a removal. */
  demandLeft(direct: readonly Step[]): Demand[] {
    const isThere = ({ kind, id }: Step) =>
      (kind === 'endpoint' ? this.kindOf(id) : this.template(id)) !== undefined;
    const left: Graph = {
      stepsOf: (uuid) => this.stepsOf(uuid).filter(isThere),
      uuidOf: (template) => this.uuidOf(template),
      isDoor: (uuid) => this.isDoor(uuid),
      isStale: (uuid) => this.isStale(uuid),
    };
    const asks = asksOf(left, direct.filter(isThere));
    return asks.filter(({ by }) => by === undefined).map((each) => this.#demandOn(each));
  }

  #demandOn({ kind, id, level, by }: Omit<Ask, 'by'> & { readonly by?: string | undefined }) {
    if (kind === 'endpoint') {
      return demandOn(this.endpoint(id, by).policy, { endpoint: id }, level);
    }
    const policy = this.#rightsOf(by).policyOn('template', this.uuidOf(id));
    return demandOn(policy, { template: id }, level);
  }

  #rightsOf(by: string | undefined): Rights {
    if (by === undefined) return this.#holders.own;
    const rights = this.#holders.authors.get(by);
    if (rights) return rights;
    const id = this.#templates.get(by)?.id ?? by;
    throw authorGone({ kind: 'template', id }, undefined);
  }
}

function demandOn(policy: Policy, params: object, needed: Level): Demand {
  return demand({ held: effectiveLevel(policy), policy, params }, needed);
}
