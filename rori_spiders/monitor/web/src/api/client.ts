import createClient from 'openapi-fetch'
import type { paths } from './schema'
import { toApiError, unreachableError } from './errors'

/** The API with the types of its OpenAPI document: `answer(api.GET('/api/v1/sources/{id}', { params: { path: { id } } }))`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetched })

let csrf = ''

/** The token that every action carries; GET /api/v1/session gives it. */
export function setCsrfToken(token: string): void {
  csrf = token
}

/** The body of an answer. Raises Refused for every other status; signed out, it leaves for the login page. */
export async function unwrap<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await asked
  if (response.status === 401) redirectToLogin()
  if (!response.ok) throw toApiError(response.status, error)
  return data as T
}

let isSigningOut = false

/** Leaves the page for the login page, which leads back here. What was asked for before a sign-out does not lead back. */
export function redirectToLogin(): void {
  if (isSigningOut) return
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`)
}

async function fetched(request: Request): Promise<Response> {
  if (request.method !== 'GET') request.headers.set('X-CSRF-Token', csrf)
  try {
    return await fetch(request)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachableError()
  }
}

/** Ends the session, and leaves for the login page. */
export async function signOut(): Promise<void> {
  isSigningOut = true
  try {
    const response = await fetched(new Request('/logout', { method: 'POST' }))
    if (!response.ok && response.status !== 401) throw toApiError(response.status, null)
    location.assign('/login')
  } catch (error) {
    isSigningOut = false
    throw error
  }
}
