/** Runs a call with an `Idempotency-Key` at most once, and answers it again. Contract: "Retries by the client". */
import { GatewayError } from '../../proto/errors.ts';
import { type Demand, withoutRepeats } from '../access/demand.ts';
import type { Policy } from '../access/policy.ts';
import type { PublicContext } from '../context.ts';
import { mayGoOn, mayStore } from '../limits/heavy-work.ts';
import { Outcome } from '../outcome.ts';
import { digestOf } from '../secrets/digest.ts';
import { seal, sealBytes } from '../secrets/seal.ts';
import { demandAgain } from './again.ts';
import { type TakenIn, takeIn } from './kept.ts';
import { type KeyLocation, locationOf, publicLocationsOf } from './location.ts';
import type { Begun, Claim, Fact, KeyState } from './object.ts';
import { isForgotten, isSecret, type Keyed, statusOf } from './rule.ts';
import { demandBody, tell } from './tell.ts';

/** Milliseconds that a call may take that says nothing else. */
const LASTS_MS = 30_000;
/** Milliseconds beyond that, in which what was begun in time may still end and be told. */
const SLACK_MS = 5_000;
/** Milliseconds for which a reply waits for being kept; from then on it is kept after it was sent. */
const KEPT_WITHIN_MS = 2_000;
/** Times that the object is asked before it is taken to be out of reach. */
const TRIES = 3;
/** Milliseconds between them. */
const TRY_AGAIN_MS = 50;

/** A call that carries a key. */
interface KeyedCall extends Keyed<unknown> {
  readonly bytes: Uint8Array | undefined;
  /** Parsed. */
  readonly body: unknown;
  /** The caller's policy; `undefined` without a caller. */
  readonly policy: Policy | undefined;
  /** What was demanded of the caller so far. */
  readonly demands: readonly Demand[];
}

/**
 * Runs the call if its key is new, else answers by the key's state. A running call goes on when
 * its client goes away and asks again with the key. The rights that it needed are
 * checked again before its outcome is repeated.
 * @throws GatewayError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_RUNNING, REPLY_NOT_KEPT, OUTCOME_UNKNOWN, SERVICE_UNAVAILABLE, QUOTA_EXCEEDED, FORBIDDEN, 404 of what the call reached
 */
export async function once<Ctx extends PublicContext>(
  ctx: Ctx,
  call: KeyedCall,
  run: (ctx: Ctx) => Promise<Outcome>,
): Promise<Outcome> {
  const { policy } = call;
  await mayGoOn(ctx, false);
  const found = policy ? await findOwn(ctx, policy, call) : await findPublic(ctx, call);
  if (found.standing.state !== 'begun') {
    return tell(found.place, found.standing, async (demands) => {
      if (policy) await demandAgain({ ...ctx, caller: policy.caller }, demands, call.demands);
    });
  }
  const own = call.rule.reads ? ctx : { ...ctx, signal: new AbortController().signal };
  const running = keep(ctx, call, found, run(own));
  ctx.afterReply(running);
  return running;
}

/** A call's place, its attempt there, and the state of its key. */
interface FoundKey {
  readonly place: KeyLocation;
  readonly attempt: string;
  readonly standing: KeyState;
}

/** @throws GatewayError IDEMPOTENCY_KEY_REUSED */
async function findOwn(ctx: PublicContext, policy: Policy, call: KeyedCall): Promise<FoundKey> {
  const place = await locationOf(ctx, policy, call);
  const digest = await digestOf(call.bytes ?? new Uint8Array());
  const found = await begin(ctx, call, place, await seal(place.sealing, digest));
  if (found.standing.state !== 'begun') await demandBody(place, found.standing.body, digest);
  return found;
}

/** The body is in the place's name already. */
async function findPublic(ctx: PublicContext, call: KeyedCall): Promise<FoundKey> {
  const bytes = call.bytes ?? new Uint8Array();
  const [place, ...earlier] = await publicLocationsOf(ctx, bytes, call);
  for (const older of earlier) {
    const standing = await reach<KeyState | undefined>(ctx, older, async (keys) =>
      keys.look(older.name),
    );
    if (standing) return { place: older, attempt: '', standing };
  }
  return begin(ctx, call, place, '');
}

async function begin(
  ctx: PublicContext,
  { rule, body }: KeyedCall,
  place: KeyLocation,
  sealedDigest: string,
): Promise<FoundKey> {
  const attempt = crypto.randomUUID();
  const claim: Claim = {
    name: place.name,
    attempt,
    body: sealedDigest,
    lastsMs: (rule.lasts?.(body) ?? LASTS_MS) + SLACK_MS,
    reads: rule.reads === true,
    ...(place.keeper ? { keeper: place.keeper } : {}),
  };
  try {
    const standing = await reach<Begun>(ctx, place, async (keys) => keys.begin(claim));
    if (standing.state !== 'no room') return { place, attempt, standing };
  } catch (thrown) {
    // It may have begun there, and it will not here.
    ctx.afterReply(reach(ctx, place, (keys) => keys.forget(claim)));
    throw thrown;
  }
  throw new GatewayError(
    'QUOTA_EXCEEDED',
    'What is kept of your requests with an Idempotency-Key has used up its storage: send the request without one, or wait',
  );
}

/** Never throws. */
async function keep(
  ctx: PublicContext,
  call: KeyedCall,
  found: FoundKey,
  running: Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await running;
  const taken = await takeIn(outcome, ctx).catch((cause: unknown) =>
    takeIn(new Outcome(lost(call, cause), outcome), ctx),
  );
  const settled = settle(ctx, call, found, taken);
  // Should it fail, a second call is answered that the first runs, later that its outcome is unknown.
  ctx.afterReply(settled);
  await soon(settled);
  return taken.outcome;
}

/** Waits for the work, but not for ever, and not for its success. */
async function soon(work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, KEPT_WITHIN_MS);
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}

/** The result broke off on its way here. */
function lost({ rule }: KeyedCall, cause: unknown): GatewayError {
  if (rule.reads) {
    const why = { cause, retryAfter: 1 };
    return new GatewayError('NODE_UNAVAILABLE', 'The result was lost on its way', why);
  }
  const message = 'The request took effect, but its result was lost';
  return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
}

async function settle(
  ctx: PublicContext,
  { rule }: KeyedCall,
  { place, attempt }: FoundKey,
  { outcome, kept }: TakenIn,
): Promise<void> {
  const { name } = place;
  if (isForgotten(rule, outcome)) {
    return reach(ctx, place, (keys) => keys.forget({ name, attempt }));
  }
  const because = isSecret(rule, outcome) ? 'secret' : kept;
  const fact = { status: statusOf(outcome), demands: withoutRepeats(outcome.demands) };
  if (typeof because !== 'string') await mayStore(ctx, because.byteLength);
  const ending: Uint8Array | Fact =
    typeof because === 'string' ? { ...fact, because } : await sealBytes(place.sealing, because);
  const { keeper } = place;
  const instead = keeper && { keeper, fact: { ...fact, because: 'storage' } as const };
  await reach(ctx, place, (keys) => keys.finish({ name, attempt }, ending, instead));
}

/**
 * Asks the object that has the key, a few times: each question may be asked twice.
 * @throws GatewayError SERVICE_UNAVAILABLE when it does not answer
 */
async function reach<Answer>(
  { env }: PublicContext,
  { object }: KeyLocation,
  ask: (keys: ReturnType<typeof env.IDEMPOTENCY_KEYS.getByName>) => Promise<Answer>,
): Promise<Answer> {
  for (let tried = 1; ; tried += 1) {
    try {
      // One that failed may be broken for good.
      return await ask(env.IDEMPOTENCY_KEYS.getByName(object));
    } catch (cause) {
      if (tried === TRIES) {
        throw new GatewayError('SERVICE_UNAVAILABLE', 'Idempotency keys cannot be looked up', {
          cause,
          retryAfter: 1,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, tried * TRY_AGAIN_MS));
    }
  }
}
