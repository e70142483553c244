import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const manifestsRoute = createRoute({
  getParentRoute: () => root,
  path: '/manifests',
  validateSearch: keepParams('name'),
  component: lazyRouteComponent(() => import('./Screen'), 'Manifests'),
})
