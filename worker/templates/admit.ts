/** Whether a definition may be stored: what it reaches is there, and is the caller's to reach. */

import type { Demand } from '../access/demand.ts';
import { demandAccount } from '../access/door/author.ts';
import type { Context } from '../context.ts';
import type { Guard } from '../db/guard.ts';
import { inPieces } from '../limits/heavy-work.ts';
import { demandDoors } from '../reach/doors/keep.ts';
import { loadReachOf } from '../reach/load.ts';
import type { Reach } from '../reach/reach.ts';
import { refusal } from '../shapes/definition.ts';
import { comparedName } from '../shapes/ids.ts';
import { type Compiled, type Fault, type Reference, referencesIn } from './compiled.ts';
import { endpointsIn } from './data-access/index.ts';
import { type Definition, isDataAccess, isDoor } from './definition.ts';
import { readDefinition } from './read.ts';
import { transformationInPieces } from './transformation/index.ts';

/** What is known of the template that is to have the definition. */
interface AdmittedTemplate {
  readonly id: string;
  /** Undefined before it is stored. */
  readonly uuid: string | undefined;
  /** Whether its version in force runs with its author's rights. */
  readonly wasDoor: boolean;
}

/** A definition that may be stored, while nothing changes that it was looked at with. */
interface Admitted {
  readonly compiled: Compiled;
  readonly guard: Guard;
}

/**
 * Reads a definition within its organization. Contract §1 ("Order of refusals"), §4, §8.
 * @param demands gets what is demanded of the caller
 * @throws GatewayError BAD_REQUEST with every fault and its path, FORBIDDEN
 */
export async function admitted(
  ctx: Context,
  holder: AdmittedTemplate,
  definition: Definition,
  demands: Demand[],
): Promise<Admitted> {
  // What a transformation names is known once it is read; an endpoint's kind decides how it is named.
  const read = isDataAccess(definition)
    ? undefined
    : await inPieces(ctx, transformationInPieces(definition));
  const reach = await loadReachOf(ctx, read ? referencesIn(read) : endpointsOf(definition));
  const kindOf = (endpoint: string) => reach.kindOf(endpoint);
  const reading = read ?? (await inPieces(ctx, readDefinition(definition, kindOf)));
  const { compiled, faults } = reading;
  const references = referencesIn(reading);
  const all = [...faults, ...references.flatMap((each) => faultOf(reach, holder, each))];
  if (!compiled || all.length > 0) throw refusal(all);
  const { id, uuid, wasDoor } = holder;
  const storing = { kind: 'template', id, uuid, wasDoor, isDoor: isDoor(definition) } as const;
  // Ahead of levels on what it reaches: no grant of those makes a key an author.
  if (storing.isDoor) demandAccount(ctx);
  demands.push(...reach.demandAll(references));
  return { compiled, guard: await demandDoors(ctx, storing, reach, demands) };
}

/** What it names, known before it can be read: which kind an endpoint is of decides how. */
function endpointsOf(definition: Definition): readonly Pick<Reference, 'kind' | 'id'>[] {
  if (!isDataAccess(definition)) return [];
  return endpointsIn(definition).map((id) => ({ kind: 'endpoint', id: comparedName(id) }));
}

function faultOf(reach: Reach, holder: AdmittedTemplate, { kind, id, path }: Reference): Fault[] {
  if (kind === 'endpoint') {
    return reach.kindOf(id) === undefined
      ? [{ path, message: `names no endpoint of the organization: ${id}` }]
      : [];
  }
  if (id === holder.id || id === holder.uuid) {
    return [{ path, message: 'names the template itself: it would never end' }];
  }
  const row = reach.template(id);
  if (!row) return [{ path, message: `names no template of the organization: ${id}` }];
  const comesBack = holder.uuid !== undefined && leadsTo(reach, row.uuid, holder);
  return comesBack ? [{ path, message: `leads back to the template itself: ${id}` }] : [];
}

/** Whether a template nests another, at whatever depth. */
function leadsTo(reach: Reach, from: string, { id, uuid }: AdmittedTemplate): boolean {
  const found = new Set([from]);
  // A set goes on with what is added meanwhile.
  for (const each of found) {
    const nested = reach.referencesOf(each).filter(({ kind }) => kind === 'template');
    for (const { target } of nested) {
      if (target === id || target === uuid) return true;
      const row = reach.template(target);
      if (row) found.add(row.uuid);
    }
  }
  return false;
}
