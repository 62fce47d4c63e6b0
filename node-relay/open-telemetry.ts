/** Spans of calls by the library of OpenTelemetry, sent by OTLP in binary form. */
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracesTo } from './trace-settings.ts';
import type { CallSpan, EndedCall, Tracing } from './tracing.ts';

/** Milliseconds that spans are gathered. */
const GATHERED_MS = 1_000;
/** Milliseconds that a stop waits for the last ones. */
const LAST_MAX_MS = 2_000;
const HEADERS = ['traceparent', 'tracestate'];
/** Codes that are the gateway's or the node's fault, not the request's. */
const FAULTS = new Set(['INTERNAL', 'NODE_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'TIMED_OUT']);

/** Of one process. */
export class OpenTelemetry implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #propagator = new W3CTraceContextPropagator();

  constructor({ url, headers, attributes }: TracesTo, version: string) {
    const exporter = new OTLPTraceExporter({ url, headers });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ ...attributes, 'service.version': version }),
      // The gateway decides; what it does not trace has no trace here either.
      sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: GATHERED_MS })],
    });
    this.#tracer = this.#provider.getTracer('causeway', version);
  }

  begin(method: string, header: (name: string) => string | null): CallSpan | undefined {
    const given = Object.fromEntries(HEADERS.map((name) => [name, header(name) ?? '']));
    if (given.traceparent === '') return undefined;
    const above =
      this.#propagator.extract(ROOT_CONTEXT, given, defaultTextMapGetter) ?? ROOT_CONTEXT;
    const span = this.#tracer.startSpan(`relay ${method}`, { kind: SpanKind.SERVER }, above);
    const context = trace.setSpan(above, span);
    const headers: Record<string, string> = {};
    this.#propagator.inject(context, headers, defaultTextMapSetter);
    return {
      headers,
      end: (ended) => {
        if (ended.askedAt !== undefined) this.#backend(context, ended, ended.askedAt);
        span.setAttributes({
          'rpc.system': 'connect_rpc',
          'rpc.service': 'relay.v1.RelayService',
          'rpc.method': method,
          'causeway.request_id': ended.requestId,
          'causeway.organization': ended.organization,
          'causeway.endpoint': ended.endpoint,
          'causeway.kind': ended.kind,
        });
        if (ended.code !== 'OK') span.setAttribute('error.type', ended.code);
        if (FAULTS.has(ended.code)) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  #backend(context: Context, { kind }: EndedCall, askedAt: number): void {
    const startTime = performance.timeOrigin + askedAt;
    const options = { kind: SpanKind.CLIENT, startTime, attributes: { 'causeway.kind': kind } };
    this.#tracer.startSpan('backend', options, context).end();
  }

  async stop(): Promise<void> {
    await this.#provider.forceFlush({ timeoutMillis: LAST_MAX_MS }).catch(() => {});
    await this.#provider.shutdown().catch(() => {});
  }
}
