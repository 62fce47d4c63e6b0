/**
 * Sends spans by OTLP over HTTP, as JSON: the library's own exporters need timers and sockets that
 * outlive a request. Source: opentelemetry.io/docs/specs/otlp.
 */
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { endedSpans } from '../tracing.ts';

/** Spans that wait are sent after so many milliseconds, or when there are so many. */
const GATHERED_MS = 1_000;
const GATHERED_MAX = 512;
const TIMEOUT_MS = 10_000;
/** Milliseconds between two lines of the log about it. */
const TOLD_EVERY_MS = 60_000;

/** Of this isolate. */
const sending = { isDue: false, lost: 0, toldAt: 0 };

/** Has spans that have ended sent soon; what cannot be sent is dropped. */
export function sendSpans(settings: Settings, waitUntil: (work: Promise<unknown>) => void): void {
  if (endedSpans.length >= GATHERED_MAX) waitUntil(flush(settings));
  else if (!sending.isDue) {
    sending.isDue = true;
    waitUntil(pause(GATHERED_MS).then(() => flush(settings)));
  }
}

async function flush(settings: Settings): Promise<void> {
  sending.isDue = false;
  const spans = endedSpans.splice(0);
  const body = JsonTraceSerializer.serializeRequest(spans);
  if (spans.length === 0 || body === undefined) return;
  try {
    const reply = await fetch(tracesUrl(settings), {
      method: 'POST',
      headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS, 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    await reply.body?.cancel();
    if (!reply.ok) tell(spans.length, `status ${reply.status}`);
  } catch {
    tell(spans.length, 'no answer');
  }
}

function tell(count: number, why: string): void {
  sending.lost += count;
  const now = Date.now();
  if (now - sending.toldAt < TOLD_EVERY_MS) return;
  sending.toldAt = now;
  log('warn', 'spans could not be sent', { spans: sending.lost, why });
  sending.lost = 0;
}

/** Source: "OTLP/HTTP request": the base URL and the signal's own path. */
function tracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: base = '' }: Settings): string {
  return `${base.replace(/\/+$/, '')}/v1/traces`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
