/** An expensive operation that a caller may legally make. */

import type { Agent } from 'node:http';
import { type Call, demand, type Tenant } from './tenants.ts';

/** One sort of work, at or near the limit of what it may take. */
export interface Operation {
  readonly name: string;
  /** Makes what the calls need, once for each tenant. */
  setUp?(tenant: Tenant, over: Agent): Promise<void>;
  /** The `count`th call; what is not distinct may be the same object each time. */
  call(tenant: Tenant, count: number): Call;
}

/** Contract: "Body size". */
export const BODY_BYTES = 10 * 1024 * 1024;

/** A GET below the base path. */
export function get(path: string, rest: Partial<Call> = {}): Call {
  return { method: 'GET', path: `/api/v1${path}`, ...rest };
}

/** A POST below the base path. */
export function post(path: string, body: Uint8Array | string, rest: Partial<Call> = {}): Call {
  return { method: 'POST', path: `/api/v1${path}`, body, ...rest };
}

/** One call, made when it is first asked for and sent again and again. */
export function always(name: string, make: () => Call): Operation {
  let made: Call | undefined;
  return {
    name,
    call() {
      made ??= make();
      return made;
    },
  };
}

/** `{before}{unit},{unit},…{after}` of almost so many bytes. */
export function filled(
  [before, after]: readonly [string, string],
  unit: (index: number) => string,
  bytes = BODY_BYTES,
): Buffer {
  const pieces = [before];
  let size = before.length + after.length;
  for (let index = 0; ; index += 1) {
    const piece = `${index === 0 ? '' : ','}${unit(index)}`;
    size += piece.length;
    if (size > bytes) break;
    pieces.push(piece);
  }
  return Buffer.from(pieces.join('') + after);
}

/** Stores a template of the tenant; its id is its name. */
export function template(id: string, definition: object): NonNullable<Operation['setUp']> {
  return async (tenant, over) => {
    await demand(tenant, post('/templates', JSON.stringify({ id, name: id, ...definition })), over);
  };
}
