import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const pageRoute = createRoute({
  getParentRoute: () => root,
  path: '/pages/$pageId',
  validateSearch: keepParams('tab', 'version', 'from', 'to', 'how', 'on'),
  component: lazyRouteComponent(() => import('./Screen'), 'Page'),
})
