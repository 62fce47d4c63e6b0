/**
 * Traces of requests, by the library of OpenTelemetry: what they are made of, and how they are told
 * to others (W3C Trace Context). Off unless the settings say where traces go.
 */
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Settings } from './settings.ts';

/** The trace that a request belongs to. */
export interface Trace {
  /** Of the request's own span. */
  readonly span: Span;
  readonly context: Context;
  readonly tracer: Tracer;
}

/** Spans that have ended and are not sent yet. */
export const endedSpans: ReadableSpan[] = [];
/** More of them are dropped while what receives them does not. */
const ENDED_MAX = 4_096;
const HEADERS = ['traceparent', 'tracestate'];

const propagator = new W3CTraceContextPropagator();
const tracers = new WeakMap<Settings, Tracer>();

/** The trace of a request that begins; undefined where traces are off. @param header of the request */
export function startTrace(
  settings: Settings,
  header: (name: string) => string | null,
): Trace | undefined {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const tracer = tracerOf(settings);
  const given = Object.fromEntries(HEADERS.map((name) => [name, header(name) ?? '']));
  const above = propagator.extract(ROOT_CONTEXT, given, defaultTextMapGetter) ?? ROOT_CONTEXT;
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime: Date.now() }, above);
  return { span, context: trace.setSpan(above, span), tracer };
}

function tracerOf(settings: Settings): Tracer {
  const known = tracers.get(settings);
  if (known) return known;
  const resource = resourceFromAttributes({
    'service.name': settings.OTEL_SERVICE_NAME,
    ...settings.OTEL_RESOURCE_ATTRIBUTES,
  });
  const made = new TracerProvider({
    resource,
    sampler: samplerOf(settings),
    spanProcessors: [
      {
        onStart() {},
        onEnd(span) {
          if (endedSpans.length < ENDED_MAX) endedSpans.push(span);
        },
        async forceFlush() {},
        async shutdown() {},
      },
    ],
  }).getTracer('causeway');
  tracers.set(settings, made);
  return made;
}

/** Source: OpenTelemetry specification, "SDK configuration", `OTEL_TRACES_SAMPLER`. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Settings) {
  const [, parent, base] = /^(parentbased_)?(.+)$/.exec(name) ?? [];
  const root: Sampler =
    base === 'always_on'
      ? new AlwaysOnSampler()
      : base === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return parent === undefined ? root : new ParentBasedSampler({ root });
}

/** A part that has begun. */
export interface OpenSpan {
  /** Headers for what is called, whose spans are this one's children. */
  readonly headers: Readonly<Record<string, string>>;
  end(attributes?: Attributes, isError?: boolean): void;
}

/** Begins a call to something else; undefined where traces are off. */
export function beginSpan(belongs: Trace | undefined, name: string): OpenSpan | undefined {
  if (belongs === undefined) return undefined;
  const { tracer, context } = belongs;
  const options = { kind: SpanKind.CLIENT, startTime: Date.now() };
  const span = tracer.startSpan(name, options, context);
  const headers: Record<string, string> = {};
  propagator.inject(trace.setSpan(context, span), headers, defaultTextMapSetter);
  return {
    headers,
    end(attributes = {}, isError = false) {
      span.setAttributes(attributes);
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(Date.now());
    },
  };
}

/** Adds a part whose times, in Unix epoch milliseconds, are known already. */
export function addSpan(belongs: Trace | undefined, name: string, start: number, end: number) {
  if (belongs === undefined) return;
  const { tracer, context } = belongs;
  tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: start }, context).end(end);
}

/** Ends the request's own span. */
export function endTrace({ span }: Trace, name: string, attributes: Attributes, isError: boolean) {
  span.updateName(name).setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(Date.now());
}
