/**
 * Entry point of the worker where several runtimes share a port: worker/index.ts, of which one runtime,
 * the owner, has D1 and the objects, and the others serve. docs/decisions/0027-several-runtimes.md.
 */
import type { Bindings } from '../context.ts';
import worker from '../index.ts';
import { requestMetrics } from '../metrics.ts';
import { allMetrics, type NamedMetrics } from './all-metrics.ts';
import { hasKeys, noteKeys, untilKeys } from './keys.ts';
import { OwnerLine } from './owner-line.ts';
import { remoteDatabase, remoteLimit, remoteObjects } from './remote-bindings.ts';
import type { RuntimeSite } from './runtime-site.ts';
import type { RuntimeBindings, RuntimeService } from './service.ts';

export * from '../index.ts';
export { Member, Owner } from './owner.ts';

/** Milliseconds that a scrape of metrics waits for another runtime. */
const METRICS_MAX_MS = 1_000;

/** With this line the program that runs the gateway hands keys over: worker/index.ts. */
const KEYS = 'keys';

/** By what the runtime gives: the same in every call. */
const known = new WeakMap<object, Bindings>();

export default {
  fetch(request, env, execution) {
    const answer = () => worker.fetch(request, bindingsOf(env), execution);
    return hasKeys() ? answer() : untilKeys(env).then(answer);
  },
  async scheduled(controller, env, execution) {
    await worker.scheduled(controller, bindingsOf(env), execution);
    if (controller.cron === KEYS) noteKeys();
  },
} satisfies ExportedHandler<RuntimeBindings>;

/** The owner's own bindings; of a runtime that serves, with the owner's in the place of what it has not. */
function bindingsOf(env: RuntimeBindings): Bindings {
  const { OWNER, PLACE } = env;
  if (OWNER === undefined || PLACE === undefined) return env;
  const before = known.get(env);
  if (before !== undefined) return before;
  const line = new OwnerLine(OWNER);
  const objects = PLACE.objects.map((name) => [name, remoteObjects(line, name)]);
  const limits = PLACE.limits.map((name) => [name, remoteLimit(line, name)]);
  const made: Bindings = {
    ...env,
    DB: remoteDatabase(line),
    ...Object.fromEntries([...objects, ...limits]),
    METRICS: () => metricsOf(env, PLACE),
  };
  known.set(env, made);
  return made;
}

/** Of all that answer. */
async function metricsOf(env: RuntimeBindings, { name, others }: RuntimeSite): Promise<string> {
  const asked = others.map(async (other): Promise<NamedMetrics[]> => {
    const text = await withinTime(serviceOf(env, other)?.metrics());
    return text === undefined ? [] : [{ name: other, text }];
  });
  const own = { name, text: requestMetrics.text() };
  const all = [own, ...(await Promise.all(asked)).flat()];
  return allMetrics(all.toSorted((one, two) => (one.name < two.name ? -1 : 1)));
}

function serviceOf(env: RuntimeBindings, name: string): RuntimeService | undefined {
  // server/role.ts binds nothing else by these names.
  return Reflect.get(env, `RUNTIME_${name}`) as RuntimeService | undefined;
}

/** Nothing when it fails or takes too long: the runtime is starting. */
function withinTime(text: Promise<string> | undefined): Promise<string | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, METRICS_MAX_MS));
  return Promise.race([Promise.resolve(text).catch(() => undefined), late]);
}
