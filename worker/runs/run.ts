/**
 * One asynchronous run. That it began is on disk before it begins, so a crash never makes it run
 * twice: it is told as interrupted then. What it was given and what it answered lie here in
 * pieces, sealed, for 24 hours after its end. Contract §8.
 */
import { DurableObject } from 'cloudflare:workers';
import { errorBody, GatewayError } from '../../proto/errors.ts';
import { type Json, parseJson } from '../../proto/json.ts';
import { parseAsWritten, writtenText } from '../../proto/written-json.ts';
import { policyOn } from '../access/policy.ts';
import { interrupted, runTemplate, type TemplateCall } from '../calls/template.ts';
import { type Bindings, type Caller, type Context, databaseOf, openContext } from '../context.ts';
import { whenReady } from '../drivers/edge/own-addresses.ts';
import { limitsOf } from '../limits/quotas/share.ts';
import { giveBack, holdBytes } from '../limits/quotas/store.ts';
import { failureOf, gathered, JsonBytes, type Result } from '../outcome.ts';
import { type SealingContext, sealBytes, unsealBytes } from '../secrets/seal.ts';
import { settingsOf } from '../settings.ts';
import { onTemplate } from '../templates/access.ts';
import type { Owner, RunResult, TemplateRunObject } from './object.ts';
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
  readonly call: TemplateCall;
  /** The input's own text, in the place of the call's input. */
  readonly text?: string | undefined;
  readonly requestId: string;
  readonly address: string;
}

/** How far a run is: kept from its start to its end's end. */
interface State {
  readonly owner: Owner;
  readonly at: 'ordered' | 'begun' | 'ended';
  /** Of a run that has ended; absent of one that an earlier version of the gateway ended. */
  readonly member?: RunResult['member'];
}

/** Bytes that a run takes besides what it was given and answered. */
const FIXED_BYTES = 16 * 1024;

const STATE = 'state';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One per run, by the name that start.ts gives. */
export class TemplateRun extends DurableObject<Bindings> implements TemplateRunObject {
  async start(owner: Owner, order: string): Promise<boolean> {
    const { storage } = this.ctx;
    const sealed = await sealBytes(this.#sealing(owner, 'order'), encoder.encode(order));
    if (!(await this.#hold(owner, FIXED_BYTES + sealed.byteLength))) return false;
    putPieces(storage.sql, 'order', sealed);
    await storage.put<State>(STATE, { owner, at: 'ordered' });
    await storage.setAlarm(Date.now());
    return true;
  }

  async outcome(): Promise<RunResult | undefined> {
    const { storage } = this.ctx;
    const state = await storage.get<State>(STATE);
    if (state?.at !== 'ended') return undefined;
    const sealed = readPieces(storage.sql, 'outcome');
    const text = await unsealBytes(this.#sealing(state.owner, 'outcome'), sealed);
    return { member: state.member, text };
  }

  /** Carries out the order; the second time it only says that the first was cut short, the last removes all. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const state = await storage.get<State>(STATE);
    if (!state) return;
    const { owner, at } = state;
    if (at === 'ended') {
      await this.#giveBack(owner, 0);
      return storage.deleteAll();
    }
    if (at === 'begun') return this.#end(owner, interrupted(), '');
    await whenReady({ env: this.env, settings: settingsOf(this.env) });
    const sealed = readPieces(storage.sql, 'order');
    const opened = await unsealBytes(this.#sealing(owner, 'order'), sealed);
    await storage.put<State>(STATE, { owner, at: 'begun' });
    await storage.sync();
    const order = parseJson(decoder.decode(opened)) as unknown as Order; // As start.ts wrote it.
    const outcome = await this.#carryOut(order).catch(failureOf);
    await this.#end(owner, outcome, order.requestId);
  }

  async #carryOut({ caller, template, call, text, requestId, address }: Order) {
    const open = openContext({
      signal: AbortSignal.timeout(LONGEST_MS),
      env: this.env,
      outside: { now: Date.now, fetch: (request) => fetch(request) },
      requestId,
      address,
      waitUntil: (work) => this.ctx.waitUntil(work),
    });
    const ctx: Context = { ...open, caller };
    await policyOn(ctx);
    const { resource } = await onTemplate('Read').find(ctx, { template });
    const given =
      text === undefined
        ? call
        : { ...call, input: parseAsWritten(text), written: encoder.encode(text) };
    return (await runTemplate(ctx, resource, given)).result;
  }

  async #end(owner: Owner, outcome: Result | GatewayError, requestId: string): Promise<void> {
    const { storage } = this.ctx;
    const isFailure = outcome instanceof GatewayError;
    const { told, sealed } = await this.#fitting(owner, outcome, requestId);
    dropPieces(storage.sql, 'order');
    putPieces(storage.sql, 'outcome', sealed);
    const member = told instanceof GatewayError ? 'error' : 'output';
    await storage.put<State>(STATE, { owner, at: 'ended', member });
    await storage.setAlarm(Date.now() + KEPT_FOR_MS);
    await endRun(databaseOf(this.env), owner.orgUuid, owner.runUuid, {
      status: isFailure ? 'failed' : 'succeeded',
      endedAt: Date.now(),
    });
  }

  /** The outcome, sealed; where the storage has no room for it, that it is not kept. */
  async #fitting(owner: Owner, outcome: Result | GatewayError, requestId: string) {
    const seal = async (told: Result | GatewayError) => {
      const bytes = await outcomeBytes(told, requestId);
      return { told, sealed: await sealBytes(this.#sealing(owner, 'outcome'), bytes) };
    };
    const whole = await seal(outcome);
    const bytes = FIXED_BYTES + whole.sealed.byteLength;
    if (await this.#hold(owner, bytes).catch(() => false)) return whole;
    const instead = await seal(notKept(outcome));
    await this.#giveBack(owner, FIXED_BYTES);
    return instead;
  }

  /** Takes room in the organization's storage, instead of what was taken; answers whether there is. */
  async #hold({ orgUuid, runUuid, kept }: Owner, bytes: number): Promise<boolean> {
    if (!kept) return true;
    const holding = { orgUuid, holder: holderOf(runUuid), caller: kept.caller, bytes };
    const limits = limitsOf(kept.quota, 'content');
    return (await holdBytes(databaseOf(this.env), holding, limits)).length > 0;
  }

  async #giveBack({ orgUuid, runUuid, kept }: Owner, bytes: number): Promise<void> {
    if (!kept) return;
    const holding = { orgUuid, holder: holderOf(runUuid), caller: kept.caller, bytes };
    await giveBack(databaseOf(this.env), holding);
  }

  #sealing({ orgUuid, runUuid, sealedDataKey }: Owner, what: string): SealingContext {
    const settings = settingsOf(this.env);
    return { settings, orgUuid, sealedDataKey, purpose: `template-run:${runUuid}:${what}` };
  }
}

function holderOf(runUuid: string): string {
  return `run:${runUuid}`;
}

/** The run's outcome is reported all the same: a caller that takes it for failed might start it again. */
function notKept(outcome: Result | GatewayError): GatewayError {
  if (outcome instanceof GatewayError)
    return new GatewayError(outcome.code, outcome.message.slice(0, 1000));
  return new GatewayError(
    'REPLY_NOT_KEPT',
    'The run succeeded, and there was no storage left for its output: it is not kept',
  );
}

async function outcomeBytes(
  outcome: Result | GatewayError,
  requestId: string,
): Promise<Uint8Array> {
  if (outcome instanceof GatewayError) return bytesOf(errorBody(outcome, requestId) as never);
  return outcome instanceof JsonBytes ? gathered(outcome.bytes) : bytesOf(outcome as Json); // A run answers no other.
}

function bytesOf(json: Json): Uint8Array {
  return encoder.encode(writtenText(json));
}
