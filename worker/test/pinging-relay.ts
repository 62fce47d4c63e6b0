/** A relay in memory that can be pinged: it knows no pool, asks for connections and opens them. */
import { env } from 'cloudflare:test';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { compactDecrypt, importJWK, type JWK } from 'jose';
import type { ConnectionEnvelope } from '../../proto/driver.ts';
import type { ErrorCode } from '../../proto/errors.ts';
import {
  ErrorDetailSchema,
  type RelayService,
  type Target,
} from '../../proto/gen/relay/v1/relay_pb.ts';

/** One backend that was reached. */
interface Reached {
  /** `mode:profile` of the pool. */
  readonly pool: string;
  readonly envelope: ConnectionEnvelope;
}

/** A failure as relays tell it. */
export function relayFailure(
  code: ErrorCode | 'CONNECTION_UNKNOWN',
  message: string = code,
): ConnectError {
  const details = [{ desc: ErrorDetailSchema, value: { code, details: '' } }];
  const asked = code === 'CONNECTION_UNKNOWN' ? Code.FailedPrecondition : Code.Aborted;
  return new ConnectError(message, asked, undefined, details);
}

/** The relay, and what a test may see and change of it. */
export function pingingRelay() {
  const pools = new Map<string, ConnectionEnvelope>();
  const state = {
    /** Text that a connection holds whose backend does not answer. */
    unreachable: 'no backend is',
    /** What happens between a ping and its answer. */
    meanwhile: (): Promise<void> => Promise.resolve(),
    draining: false,
    down: false,
  };
  const reached: Reached[] = [];
  const released: { endpoint: string; keepRevision: number }[] = [];

  const methods: Partial<ServiceImpl<typeof RelayService>> = {
    async ping({ target }) {
      if (!target) throw new ConnectError('no target', Code.InvalidArgument);
      const envelope = pools.get(target.poolKey) ?? (await open(target));
      pools.set(target.poolKey, envelope);
      await state.meanwhile();
      if (JSON.stringify(envelope).includes(state.unreachable)) {
        throw relayFailure('CONNECTION_FAILED', 'connection refused');
      }
      reached.push({ pool: `${target.mode}:${target.profile}`, envelope });
      return { latencyUs: 1_600n };
    },
    release({ endpoint, keepRevision }) {
      released.push({ endpoint, keepRevision: Number(keepRevision) });
      return { pools: 1 };
    },
    status() {
      if (state.down) throw new ConnectError('gone', Code.Unavailable);
      return { draining: state.draining };
    },
  };
  return { state, reached, released, methods };
}

async function open({ sealedConnection }: Target): Promise<ConnectionEnvelope> {
  if (sealedConnection === '') throw relayFailure('CONNECTION_UNKNOWN');
  const key = await importJWK(JSON.parse(env.RELAY_NODE_KEY) as JWK, 'ECDH-ES');
  const { plaintext } = await compactDecrypt(sealedConnection, key);
  return JSON.parse(new TextDecoder().decode(plaintext)) as ConnectionEnvelope;
}

/** A place where calls wait until a number of them have come; then all go on. */
export function meetingOf(calls: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting === calls) resolve();
    return promise;
  };
}
