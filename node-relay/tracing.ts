/** The relay's part of the gateway's traces. W3C Trace Context; OpenTelemetry. */
import type { Config } from './config.ts';

/** A call that is traced. */
export interface CallSpan {
  /** For what the call itself calls. */
  readonly headers: Readonly<Record<string, string>>;
  end(ended: EndedCall): void;
}

/** What is known of a call that has ended. */
export interface EndedCall {
  readonly code: string;
  readonly kind: string;
  readonly organization: string;
  readonly endpoint: string;
  readonly requestId: string;
  /** Since when the backend was asked, on the clock of `performance`. */
  readonly askedAt: number | undefined;
}

/** Begins and sends spans. */
export interface Tracing {
  /** Undefined where the gateway does not trace the call. */
  begin(method: string, header: (name: string) => string | null): CallSpan | undefined;
  /** Sends what has not been sent. Never rejects. */
  stop(): Promise<void>;
}

/** Undefined where traces are off; the library is loaded only where they are on. */
export async function startTracing(
  { tracesTo }: Pick<Config, 'tracesTo'>,
  version: string,
): Promise<Tracing | undefined> {
  if (tracesTo === undefined) return undefined;
  const { OpenTelemetry } = await import('./open-telemetry.ts');
  return new OpenTelemetry(tracesTo, version);
}
