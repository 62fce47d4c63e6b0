/**
 * One asynchronous run. That it began is on disk before it begins, so a crash never makes it run
 * twice: it is told as interrupted then. What it was given and what it answered lie here in
 * pieces, sealed, for 24 hours after its end. Contract §8.
 */
import { DurableObject } from 'cloudflare:workers';
import { errorBody, GatewayError } from '../../../proto/errors.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import { policyOn } from '../../access/policy.ts';
import {
  type Bindings,
  type Caller,
  type Context,
  databaseOf,
  openContext,
} from '../../context.ts';
import { JsonBytes } from '../../http/route.ts';
import { type SealingContext, sealBytes, unsealBytes } from '../../secrets/seal.ts';
import { settingsOf } from '../../settings.ts';
import { onTemplate } from '../access.ts';
import { type Call, interrupted, runTemplate } from '../run.ts';
import type { Owner, TemplateRunObject } from './object.ts';
import { dropPieces, putPieces, readPieces } from './pieces.ts';
import { endRun } from './store.ts';

/** Milliseconds for which an outcome is kept after its run's end. Contract §8. */
export const KEPT_FOR_MS = 24 * 3600 * 1000;
/** Milliseconds after which a run is stopped. Spec silent. */
const LONGEST_MS = 10 * 60 * 1000;

/** What a run is to do, as its caller asked for it. */
export interface Order {
  readonly caller: Caller;
  /** The template's UUID. */
  readonly template: string;
  readonly call: Call;
  /** The input's own text, for a template that keeps it. */
  readonly text?: string | undefined;
  readonly requestId: string;
  readonly address: string;
}

/** How far a run is: kept from its start to its end's end. */
interface State {
  readonly owner: Owner;
  readonly at: 'ordered' | 'begun' | 'ended';
}

const STATE = 'state';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One per run, by the name that start.ts gives. */
export class TemplateRun extends DurableObject<Bindings> implements TemplateRunObject {
  async start(owner: Owner, order: string): Promise<void> {
    const { storage } = this.ctx;
    const sealed = await sealBytes(this.#sealing(owner, 'order'), encoder.encode(order));
    putPieces(storage.sql, 'order', sealed);
    await storage.put<State>(STATE, { owner, at: 'ordered' });
    await storage.setAlarm(Date.now());
  }

  async outcome(): Promise<Uint8Array | undefined> {
    const { storage } = this.ctx;
    const state = await storage.get<State>(STATE);
    if (state?.at !== 'ended') return undefined;
    return unsealBytes(this.#sealing(state.owner, 'outcome'), readPieces(storage.sql, 'outcome'));
  }

  /** Carries out the order; the second time it only tells that the first was cut short, the last removes all. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const state = await storage.get<State>(STATE);
    if (!state) return;
    const { owner, at } = state;
    if (at === 'ended') return storage.deleteAll();
    if (at === 'begun') return this.#end(owner, interrupted(), '');
    const sealed = readPieces(storage.sql, 'order');
    const opened = await unsealBytes(this.#sealing(owner, 'order'), sealed);
    await storage.put<State>(STATE, { owner, at: 'begun' });
    await storage.sync();
    const order = parseJson(decoder.decode(opened)) as unknown as Order; // As start.ts wrote it.
    const outcome = await this.#carryOut(order).catch((thrown: unknown) => failureOf(thrown));
    await this.#end(owner, outcome, order.requestId);
  }

  async #carryOut({ caller, template, call, text, requestId, address }: Order) {
    const stop = AbortSignal.timeout(LONGEST_MS);
    const open = openContext({
      request: new Request('https://run.invalid/', { signal: stop }),
      env: this.env,
      outside: { now: Date.now, fetch: (request) => fetch(request) },
      requestId,
      address,
      waitUntil: (work) => this.ctx.waitUntil(work),
    });
    const ctx: Context = { ...open, signal: stop, caller };
    await policyOn(ctx);
    const { resource } = await onTemplate('Read').find(ctx, { template });
    const written = text === undefined ? undefined : encoder.encode(text);
    return runTemplate(ctx, resource, { ...call, written });
  }

  async #end(
    owner: Owner,
    outcome: Json | JsonBytes | GatewayError,
    requestId: string,
  ): Promise<void> {
    const { storage } = this.ctx;
    const isFailure = outcome instanceof GatewayError;
    const bytes = await outcomeBytes(outcome, requestId);
    const sealed = await sealBytes(this.#sealing(owner, 'outcome'), bytes);
    putPieces(storage.sql, 'outcome', sealed);
    dropPieces(storage.sql, 'order');
    await storage.put<State>(STATE, { owner, at: 'ended' });
    await storage.setAlarm(Date.now() + KEPT_FOR_MS);
    await endRun(databaseOf(this.env), owner.orgUuid, owner.runUuid, {
      status: isFailure ? 'failed' : 'succeeded',
      endedAt: Date.now(),
    });
  }

  #sealing({ orgUuid, runUuid, sealedDataKey }: Owner, what: string): SealingContext {
    const settings = settingsOf(this.env);
    return { settings, orgUuid, sealedDataKey, purpose: `template-run:${runUuid}:${what}` };
  }
}

function failureOf(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError('INTERNAL', 'Something went wrong', { cause: thrown });
}

async function outcomeBytes(
  outcome: Json | JsonBytes | GatewayError,
  requestId: string,
): Promise<Uint8Array> {
  if (outcome instanceof GatewayError) return bytesOf(errorBody(outcome, requestId) as never);
  if (!(outcome instanceof JsonBytes)) return bytesOf(outcome);
  return new Uint8Array(await new Response(outcome.bytes).arrayBuffer());
}

function bytesOf(json: Json): Uint8Array {
  return encoder.encode(JSON.stringify(json));
}
