/** Says by its exit code whether a gateway or relay of this machine takes requests: the health check of containers. */
import { Failure, runScript } from './failure.ts';

const TIMEOUT_MS = 4_000;
const DEFAULT_URL = 'http://127.0.0.1:8787/healthz';

await runScript(async () => {
  const url = process.env.HEALTH_URL || DEFAULT_URL;
  if (!URL.canParse(url)) throw new Failure('HEALTH_URL is no URL.');
  const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (!reply?.ok) throw new Failure(`No health at ${new URL(url).pathname}.`);
});
