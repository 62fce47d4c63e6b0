/**
 * Traces of requests: what they are made of, and how they are told to others. W3C Trace Context;
 * OpenTelemetry's semantic conventions. Off unless the settings say where traces go.
 */
import type { Settings } from './settings.ts';

/** A part of a trace that has ended. */
export interface Span {
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Unix epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
}

/** Source: opentelemetry-proto, trace.proto, `SpanKind`. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

/** The trace that a request belongs to. */
export interface Trace {
  readonly traceId: string;
  /** Of the request's own span. */
  readonly spanId: string;
  /** Of the caller's span, where the caller has a trace. */
  readonly parentId: string | undefined;
  /** What other systems put into the trace, passed on as it is. */
  readonly state: string;
  /** Whether its spans are told; if not, only that is passed on. */
  readonly isSampled: boolean;
  readonly spans: Span[];
}

/** Version 00; later ones may have more after the flags. */
const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const STATE_MAX = 512;

/** The trace of a request; undefined where traces are off. */
export function startTrace(
  settings: Settings,
  header: (name: string) => string | null,
): Trace | undefined {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const [, traceId, parentId, flags = ''] = TRACEPARENT.exec(header('traceparent') ?? '') ?? [];
  const id = traceId ?? hexOf(16);
  const parent = traceId === undefined ? undefined : (Number.parseInt(flags, 16) & 1) === 1;
  const state = traceId === undefined ? '' : (header('tracestate') ?? '');
  return {
    traceId: id,
    spanId: hexOf(8),
    parentId,
    state: state.length > STATE_MAX ? '' : state,
    isSampled: isSampled(settings, id, parent),
    spans: [],
  };
}

/** Source: OpenTelemetry specification, "SDK configuration", `OTEL_TRACES_SAMPLER`. */
function isSampled(settings: Settings, traceId: string, parent: boolean | undefined): boolean {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = settings;
  if (parent !== undefined && sampler.startsWith('parentbased_')) return parent;
  if (sampler.endsWith('always_on')) return true;
  if (sampler.endsWith('always_off')) return false;
  // By the low 56 bits, as all systems of one trace do: they are random. W3C Trace Context, level 2.
  return Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56;
}

/** A span that has begun. */
export interface OpenSpan {
  /** Headers for what is called, whose spans are this one's children. */
  readonly headers: Readonly<Record<string, string>>;
  end(attributes?: Span['attributes'], isError?: boolean): void;
}

/** Begins a part of a request; undefined where traces are off. */
export function beginSpan(
  trace: Trace | undefined,
  name: string,
  kind: SpanKind,
  now: () => number,
): OpenSpan | undefined {
  if (trace === undefined) return undefined;
  const { traceId, spanId: parentId, isSampled: sampled, state, spans } = trace;
  const id = hexOf(8);
  const startMs = now();
  return {
    headers: {
      traceparent: `00-${traceId}-${id}-${sampled ? '01' : '00'}`,
      ...(state === '' ? {} : { tracestate: state }),
    },
    end(attributes = {}, isError = false) {
      if (!sampled) return;
      spans.push({ traceId, id, parentId, name, kind, startMs, endMs: now(), attributes, isError });
    },
  };
}

/** Adds a part whose times are known already. */
export function addSpan(trace: Trace | undefined, name: string, startMs: number, endMs: number) {
  if (!trace?.isSampled) return;
  const { traceId, spanId: parentId, spans } = trace;
  const span = { traceId, id: hexOf(8), parentId, name, startMs, endMs };
  spans.push({ ...span, kind: 'internal', attributes: {}, isError: false });
}

function hexOf(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
