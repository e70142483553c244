/** What the API answers when it does not answer: `{"error": {"code", "message", "details"}}`. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message)
  }
}

/** The error of an answer whose body was read as *body*; a proxy's own pages and lost connections get words of ours. */
export function refusal(status: number, body: unknown): Refused {
  const error = (body as { error?: { code?: unknown; message?: unknown; details?: unknown } } | null | undefined)?.error
  if (typeof error?.code === 'string' && typeof error.message === 'string') {
    return new Refused(status, error.code, error.message, (error.details ?? {}) as Record<string, unknown>)
  }
  return new Refused(status, 'unexpected', `The monitor answered with HTTP ${status}, and not in its own form. Is a proxy in between?`)
}

/** No answer at all: the process has ended, or the network is away. */
export function unreachable(): Refused {
  return new Refused(0, 'unreachable', 'The monitor cannot be reached. Does `scrapy monitor` still run?')
}
