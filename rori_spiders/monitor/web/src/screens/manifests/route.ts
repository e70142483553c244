import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const manifestsRoute = createRoute({
  getParentRoute: () => root,
  path: '/manifests',
  validateSearch: keeping('name'),
  component: lazyRouteComponent(() => import('./screen'), 'Manifests'),
})
