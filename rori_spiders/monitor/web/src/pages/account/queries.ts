import { queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'

export type OwnSubscription = Schemas['OwnSubscription']
export type SubscriptionOrder = Schemas['SubscriptionOrder']
export type OwnToken = Schemas['OwnToken']
export type TokenOrder = Schemas['TokenOrder']

export const subscriptionsQuery = queryOptions({
  queryKey: ['session', 'subscriptions'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/session/subscriptions', { signal })),
})

export const tokensQuery = queryOptions({
  queryKey: ['session', 'tokens'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/session/tokens', { signal })),
})

export function addSubscription(body: SubscriptionOrder) {
  return unwrap(api.POST('/api/v1/session/subscriptions', { body }))
}

export function endSubscription(number: number) {
  return unwrap(api.POST('/api/v1/session/subscriptions/{number}/end', { params: { path: { number } } }))
}

export function addToken(body: TokenOrder) {
  return unwrap(api.POST('/api/v1/session/tokens', { body }))
}

export function revokeToken(number: number) {
  return unwrap(api.POST('/api/v1/session/tokens/{number}/revoke', { params: { path: { number } } }))
}
