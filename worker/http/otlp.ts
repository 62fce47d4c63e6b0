/**
 * Sends spans by OTLP over HTTP, as JSON. Source: opentelemetry.io/docs/specs/otlp,
 * opentelemetry-proto 1.11. Why not by the library: docs/decisions/.
 */
import { log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { SPAN_KINDS, type Span } from '../tracing.ts';

/** Spans that wait are sent after so many milliseconds, or when there are so many. */
const GATHERED_MS = 1_000;
const GATHERED_MAX = 512;
/** More of them are dropped while what receives them does not. */
const WAITING_MAX = 4_096;
const TIMEOUT_MS = 10_000;
/** Milliseconds between two lines of the log about it. */
const TOLD_EVERY_MS = 60_000;
/** Source: trace.proto, `Status.StatusCode`. */
const STATUS_ERROR = 2;

/** What sending needs of the request that brings it about. */
export interface Sender {
  readonly settings: Settings;
  fetch(request: Request): Promise<Response>;
  waitUntil(work: Promise<unknown>): void;
}

/** Of this isolate. */
const waiting = { spans: [] as Span[], isDue: false, dropped: 0, toldAt: 0 };

/** Has spans sent, with others, soon; what cannot be sent is dropped. */
export function sendSpans(sender: Sender, spans: readonly Span[]): void {
  const room = WAITING_MAX - waiting.spans.length;
  waiting.spans.push(...spans.slice(0, room));
  waiting.dropped += Math.max(0, spans.length - room);
  if (waiting.spans.length >= GATHERED_MAX) sender.waitUntil(flush(sender));
  else if (!waiting.isDue) {
    waiting.isDue = true;
    sender.waitUntil(pause(GATHERED_MS).then(() => flush(sender)));
  }
}

async function flush({ settings, fetch }: Sender): Promise<void> {
  waiting.isDue = false;
  const spans = waiting.spans.splice(0, WAITING_MAX);
  if (spans.length === 0) return;
  const request = new Request(tracesUrl(settings), {
    method: 'POST',
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS, 'Content-Type': 'application/json' },
    body: JSON.stringify(exportRequest(settings, spans)),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'manual',
  });
  try {
    const reply = await fetch(request);
    await reply.body?.cancel();
    if (reply.ok) return;
    tell(spans.length, `status ${reply.status}`);
  } catch {
    tell(spans.length, 'no answer');
  }
}

function tell(count: number, why: string): void {
  waiting.dropped += count;
  const now = Date.now();
  if (now - waiting.toldAt < TOLD_EVERY_MS) return;
  waiting.toldAt = now;
  log('warn', 'spans could not be sent', { spans: waiting.dropped, why });
  waiting.dropped = 0;
}

/** Source: "OTLP/HTTP request": the base URL and the signal's own path. */
function tracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: base = '' }: Settings): string {
  return `${base.replace(/\/+$/, '')}/v1/traces`;
}

/** Source: trace_service.proto, `ExportTraceServiceRequest`, by the JSON mapping of OTLP. */
export function exportRequest(settings: Settings, spans: readonly Span[]) {
  const resource = {
    'service.name': settings.OTEL_SERVICE_NAME,
    ...settings.OTEL_RESOURCE_ATTRIBUTES,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'causeway' }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf({ traceId, id, parentId, name, kind, startMs, endMs, attributes, isError }: Span) {
  return {
    traceId,
    spanId: id,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(attributes),
    ...(isError ? { status: { code: STATUS_ERROR } } : {}),
  };
}

function attributesOf(attributes: Readonly<Record<string, string | number>>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
}

/** 64 bits as decimal text. */
function nanosOf(ms: number): string {
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
