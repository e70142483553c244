import { command } from '@/lib/command'
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
  return new ApiError(status, 'unexpected', `Unexpected response (HTTP ${status}). It may come from a proxy in front of the monitor.`)
}

/** No answer at all: the process has ended, or the network is away. */
export function unreachableError(): ApiError {
  return new ApiError(0, 'unreachable', `Cannot reach the monitor. Check that \`${command('monitor')}\` is running.`)
}
