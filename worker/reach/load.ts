/** All that a run will reach, and the caller's rights there: loaded in one trip before it begins. */
import { GatewayError } from '../../proto/errors.ts';
import { demand } from '../access/access.ts';
import type { Demand } from '../access/demand.ts';
import {
  type MembershipRow,
  type Policy,
  policyOf,
  type Rule,
  remembered,
} from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { Context } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { EndpointRow, PlacementRow } from '../db/schema.ts';
import type { TemplateRow } from '../db/templates.ts';
import { type Endpoint, endpointNotFound } from '../endpoints/access.ts';
import { effectiveLevel, type Level } from '../levels.ts';
import { selectPlacedNodes, selectPlacements } from '../nodes/store.ts';
import { isUuid } from '../shapes/ids.ts';
import { templateNotFound } from '../templates/access.ts';
import {
  type Pins,
  REACHED_MAX,
  type Roots,
  selectReached,
  selectReachedEndpoints,
  selectReachedEndpointUuids,
  selectReachedUuids,
  selectReferences,
} from './store.ts';

/** A reference as it is stored. */
type StoredReference = Awaited<ReturnType<typeof selectReferences>>[number];

interface Rows {
  readonly standing: readonly MembershipRow[];
  readonly templates: readonly TemplateRow[];
  readonly references: readonly StoredReference[];
  readonly endpoints: readonly EndpointRow[];
  readonly placements: readonly PlacementRow[];
  readonly nodes: readonly NodeRow[];
  readonly rules: readonly Rule[];
}

/** As references name things: an id, or a UUID in lower case. Contract §1, "Ids in paths". */
export function nameOf(named: string): string {
  return isUuid(named) ? named.toLowerCase() : named;
}

/** Something that a run names: by an id, or a UUID in lower case. */
export interface Reference {
  readonly kind: 'template' | 'endpoint';
  readonly id: string;
  /** The level that is needed there; Read when left out. */
  readonly level?: Level;
}

/** What is reached, by what it is called. */
export class Reach {
  readonly #ctx: Context;
  readonly #rows: Rows;
  readonly #templates = new Map<string, TemplateRow>();
  readonly #endpoints = new Map<string, EndpointRow>();

  constructor(ctx: Context, rows: Rows) {
    this.#ctx = ctx;
    this.#rows = rows;
    for (const row of rows.templates) this.#templates.set(row.id, row).set(row.uuid, row);
    for (const row of rows.endpoints) this.#endpoints.set(row.id, row).set(row.uuid, row);
  }

  /** Every template that is reached. */
  get templates(): readonly TemplateRow[] {
    return this.#rows.templates;
  }

  /** Every endpoint that is reached. */
  get endpoints(): readonly EndpointRow[] {
    return this.#rows.endpoints;
  }

  template(named: string): TemplateRow | undefined {
    return this.#templates.get(nameOf(named));
  }

  /** @throws GatewayError ENDPOINT_NOT_FOUND */
  endpoint(named: string): Endpoint {
    const row = this.#endpoints.get(nameOf(named));
    if (!row) throw endpointNotFound(named);
    const placements = this.#rows.placements.filter(
      ({ endpointUuid }) => endpointUuid === row.uuid,
    );
    const { nodes } = this.#rows;
    return { row, placements, nodes, policy: this.#policyOn('endpoint', row.uuid) };
  }

  kindOf(named: string): EndpointRow['kind'] | undefined {
    return this.#endpoints.get(nameOf(named))?.kind;
  }

  /** What a template reaches by itself, in one of its versions. */
  referencesOf(uuid: string): readonly StoredReference[] {
    return this.#rows.references.filter(({ templateUuid }) => templateUuid === uuid);
  }

  /** Which template that is reached nests this one: what is in force leads to no other, but an older version may. */
  wayBackTo({ uuid, id }: Pick<TemplateRow, 'uuid' | 'id'>): string | undefined {
    const found = this.#rows.references.find(
      ({ kind, templateUuid, target }) =>
        kind === 'template' && templateUuid !== uuid && (target === id || target === uuid),
    );
    return found && this.#templates.get(found.templateUuid)?.id;
  }

  /** Whether anything but reads may be sent to endpoints, by whichever template. */
  get writes(): boolean {
    return this.#rows.references.some(({ kind, level }) => kind === 'endpoint' && level !== 'Read');
  }

  /**
   * Refuses what is gone, and nested templates that the caller may not read: a render sends
   * nothing to endpoints, and needs no rights there. Contract §4.
   * @throws GatewayError ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, FORBIDDEN
   */
  demandNested(): Demand[] {
    return this.#rows.references.flatMap(({ kind, target }) => {
      if (kind === 'template') return this.#demandTemplate(target);
      this.endpoint(target);
      return [];
    });
  }

  /**
   * Refuses what the caller may not reach. Contract §4, rows on runs of templates.
   * @throws GatewayError ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, FORBIDDEN
   */
  demandAll(direct: readonly Reference[] = []): Demand[] {
    const stored = this.#rows.references.map(({ target, ...each }) => ({ ...each, id: target }));
    return [...direct, ...stored].map(({ kind, id, level = 'Read' }) =>
      kind === 'endpoint'
        ? demandOn(this.endpoint(id).policy, { endpoint: id }, level)
        : this.#demandTemplate(id),
    );
  }

  #demandTemplate(id: string): Demand {
    const row = this.template(id);
    if (!row) throw templateNotFound(id);
    return demandOn(this.#policyOn('template', row.uuid), { template: id }, 'Read');
  }

  #policyOn(kind: 'endpoint' | 'template', uuid: string): Policy {
    const { orgUuid } = this.#ctx.caller;
    const rules = this.#rows.rules.filter(
      ({ resourceUuid }) => resourceUuid === orgUuid || resourceUuid === uuid,
    );
    return policyOf(this.#ctx, this.#rows.standing, rules, { kind, uuid });
  }
}

function demandOn(policy: Policy, params: object, needed: Level): Demand {
  return demand({ held: effectiveLevel(policy), policy, params }, needed);
}

/**
 * What a stored version of a template reaches. Steady requests make no trip to D1.
 * @param pins versions of what it nests that count instead of those in force
 * @throws GatewayError TEMPLATE_FAILED when it reaches too many templates
 */
export async function loadReach(
  ctx: Context,
  version: { readonly uuid: string; readonly version: string },
  pins?: Pins,
): Promise<Reach> {
  const of = pins === undefined ? '' : `:${JSON.stringify(pins)}`;
  const key = `reach:${version.uuid}:${version.version}${of}`;
  const roots = { versions: [version], templates: [], endpoints: [], pins };
  return reachOf(ctx, await remembered(ctx, key, () => load(ctx, roots)), 'TEMPLATE_FAILED');
}

/** What a definition reaches that is not stored yet; nothing of it is remembered. */
export async function loadReachOf(ctx: Context, references: readonly Reference[]): Promise<Reach> {
  const idsOf = (sort: Reference['kind']) =>
    references.filter(({ kind }) => kind === sort).map(({ id }) => id);
  const roots = { versions: [], templates: idsOf('template'), endpoints: idsOf('endpoint') };
  return reachOf(ctx, await load(ctx, roots), 'BAD_REQUEST');
}

function reachOf(ctx: Context, rows: Rows, code: 'TEMPLATE_FAILED' | 'BAD_REQUEST'): Reach {
  if (rows.templates.length > REACHED_MAX) {
    throw new GatewayError(code, `It nests more than ${REACHED_MAX} templates`);
  }
  return new Reach(ctx, rows);
}

async function load(ctx: Context, roots: Roots): Promise<Rows> {
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  const reached = () => selectReachedEndpointUuids(db, orgUuid, roots);
  const [standing, templates, references, endpoints, placements, nodes, rules] = await db.batch([
    selectMembership(db, caller),
    selectReached(db, orgUuid, roots),
    selectReferences(db, orgUuid, roots),
    selectReachedEndpoints(db, orgUuid, roots),
    selectPlacements(db, orgUuid, reached()),
    selectPlacedNodes(db, orgUuid, reached()),
    selectRules(db, caller, selectReachedUuids(db, orgUuid, roots)),
  ]);
  const { pins = {} } = roots;
  const pinned = templates.map((row) => ({ ...row, version: pins[row.uuid] ?? row.version }));
  return { standing, templates: pinned, references, endpoints, placements, nodes, rules };
}
