/** What the API answers when it does not answer: `{"error": {"code", "message", "details"}}`. */
export class ApiError extends Error {
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
export function toApiError(status: number, body: unknown): ApiError {
  const error = (body as { error?: { code?: unknown; message?: unknown; details?: unknown } } | null | undefined)?.error
  if (typeof error?.code === 'string' && typeof error.message === 'string') {
    return new ApiError(status, error.code, error.message, (error.details ?? {}) as Record<string, unknown>)
  }
  return new ApiError(status, 'unexpected', `The monitor answered with HTTP ${status}, and not in its own form. Is a proxy in between?`)
}

/** No answer at all: the process has ended, or the network is away. */
export function unreachableError(): ApiError {
  return new ApiError(0, 'unreachable', 'The monitor cannot be reached. Does `scrapy monitor` still run?')
}
