/**
 * A driver whose calls all go through a tunnel to a relay that has the real one: so the suite of
 * every driver says about the tunnel what it says about the driver.
 */
import type { Kind } from '../../../kinds/index.ts';
import type { BackendClient, Call, WatchEvent } from '../../../proto/driver.ts';
import type { OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import { SHARE_STATUSES, type ShareStatus } from '../../../proto/prepares.ts';
import type { DriverContract } from '../../drivers/contract.ts';
import type { PreparesContract } from '../../drivers/contract-prepares.ts';
import type { Driver } from '../../drivers/driver.ts';
import { testHost } from '../../drivers/test/host.ts';
import { changesOver } from './changes.ts';
import { bytesOf, Line, operationsOf, whole, wishesOf } from './line.ts';
import { startTunnelledRelay, type TunnelledRelay } from './relay.ts';
import { sharesOver } from './shares.ts';

/** A kind's suite, through a tunnel. */
export function throughTunnel<Request>(
  kind: Kind,
  [name, start, stop, lacks = {}]: DriverContract<Request>,
): DriverContract<Request> {
  let node: TunnelledRelay;
  return [
    name,
    async () => {
      const described = await start();
      node = await startTunnelledRelay({ drivers: { [kind]: described.driver as Driver } });
      return { ...described, driver: tunnelled(kind, node, described.driver) };
    },
    async () => {
      await node.stop();
      await stop();
    },
    lacks,
  ];
}

/** The suite of a kind that prepares, through a tunnel. */
export function preparesThroughTunnel<Request>(
  kind: Kind,
  [name, start, stop]: PreparesContract<Request>,
): PreparesContract<Request> {
  let node: TunnelledRelay;
  return [
    name,
    async () => {
      const described = await start();
      const { driver } = described;
      node = await startTunnelledRelay({ drivers: { [kind]: driver as Driver } });
      const through = tunnelled(kind, node, driver) as typeof driver; // With what it has over there.
      return { ...described, driver: through };
    },
    async () => {
      await node.stop();
      await stop();
    },
  ];
}

function tunnelled<Request>(
  kind: Kind,
  node: TunnelledRelay,
  real: Driver<Request>,
): Driver<Request> {
  return {
    async open(target, host) {
      const line = await Line.to(kind, node, target, host);
      // What the real one cannot read, the relay says.
      const local = await real.open(target, testHost()).catch(() => undefined);
      if (local === undefined) await line.ping();
      await local?.close();
      return clientOf(line, local ?? {});
    },
  };
}

function clientOf<Request>(line: Line, local: object): BackendClient<Request> {
  const own: BackendClient<Request> = {
    run: (request, call) => run(line, request, call),
    ping: (call) =>
      line.call(call, async (options) => {
        const { latencyUs } = await line.client.ping({ target: line.target() }, options);
        return Number(latencyUs) / 1000;
      }),
    async close() {
      await line.client.release({ endpoint: line.endpoint, keepRevision: 0n });
    },
  };
  const abilities = Object.entries(abilitiesOf<Request>(line, local));
  return { ...own, ...Object.fromEntries(abilities.filter(([name]) => name in local)) };
}

function abilitiesOf<Request>(line: Line, local: object) {
  return {
    hasColumns: 'hasColumns' in local && local.hasColumns === true,
    async *stream(request: Request, call: Call) {
      const rowForm = call.tellsColumns ? 'told-lines' : 'lines';
      const message = { ...messageOf(line, request, call), rowForm };
      const pieces = line.stream(call, (options) => line.client.runStream(message, options));
      for await (const { chunk } of pieces) yield chunk;
    },
    async *watch(request: Request, call: Call, resumeAfter = ''): AsyncGenerator<WatchEvent> {
      const { target, request: bytes } = messageOf(line, request, call);
      const events = line.stream(call, (options) =>
        line.client.watch({ target, request: bytes, resumeAfter }, options),
      );
      for await (const { id, event } of events) yield { ...(id && { id }), data: event };
    },
    transact: (requests: readonly Request[], call: Call) =>
      line.call(call, async (options) => {
        const operations = operationsOf(line, requests);
        const wishes = { ...wishesOf(call), operations, target: line.target() };
        return whole(line, await line.client.transact(wishes, options), options);
      }),
    once: (work: OnceWork<Request>, mark: OnceMark, call: Call): Promise<OnceAnswer> =>
      line.call(call, async (options) => {
        const request = 'request' in work ? bytesOf(work.request) : new Uint8Array();
        const operations =
          'request' in work ? new Uint8Array() : operationsOf(line, work.operations);
        const wishes = { ...wishesOf(call), target: line.target(), mark, request, operations };
        const answer = await line.client.runOnce(wishes, options);
        return { result: await whole(line, answer, options), isReplay: answer.replayed };
      }),
    settleMark: (mark: OnceMark, recovery: string, call: Call): Promise<ShareStatus> =>
      line.call(call, async (options) => {
        const asked = { target: line.target(), mark, recovery };
        const { status } = await line.client.settleMarked(asked, options);
        return SHARE_STATUSES.find((each) => each === status) ?? 'unknown';
      }),
    async lease(call: Call) {
      const { sessionId } = await line.call(call, (options) =>
        line.client.openSession({ target: line.target() }, options),
      );
      return {
        run: (request: Request, leased: Call) => run(line, request, leased, sessionId),
        async close() {
          await line.client.closeSession({ sessionId, endpoint: line.endpoint });
        },
      };
    },
    ...changesOver(line),
    ...sharesOver<Request>(line),
    inspect: (page: { limit: number; after?: readonly [string, string] }, call: Call) =>
      line.call(call, async (options) => {
        const [afterNamespace = '', afterName = ''] = page.after ?? [];
        const asked = { target: line.target(), limit: page.limit, afterNamespace, afterName };
        const { tables, more } = await line.client.inspect(asked, options);
        return { tables: JSON.parse(new TextDecoder().decode(tables)), more };
      }),
    warnings: (call: Call) =>
      line.call(call, async (options) => {
        return (await line.client.ping({ target: line.target() }, options)).warnings;
      }),
  };
}

function run<Request>(line: Line, request: Request, call: Call, sessionId = '') {
  const message = { ...messageOf(line, request, call), sessionId };
  return line.call(call, async (options) =>
    whole(line, await line.client.run(message, options), options),
  );
}

function messageOf<Request>(line: Line, request: Request, call: Call) {
  return {
    target: line.target(),
    request: bytesOf(request),
    ...wishesOf(call),
  };
}
