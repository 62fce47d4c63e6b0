/** What the stand-in's index refuses, with the codes of gRPC that Pinecone answers. Source: docs.pinecone.io, "Errors". */

/** A refused request. */
export class Fault extends Error {
  /** Of gRPC: 3 invalid argument, 5 not found, 12 unimplemented. */
  readonly code: number;
  readonly status: number;

  constructor(message: string, code = 3, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
