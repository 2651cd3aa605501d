import { Type } from 'typebox'
import {
  RenameViewBody,
  SavedView,
  SaveViewBody,
  ViewParams,
  ViewsQuery,
} from '../../shapes/dashboard-views.ts'
import { defineDashboardRoute } from './route.ts'

const OWN = { capability: 'own_login', tag: 'Saved views' } as const

/** Saved views: of one person, for the account of the session. */
export const viewRoutes = {
  listViews: defineDashboardRoute({
    ...OWN,
    id: 'listViews',
    method: 'GET',
    path: '/dashboard/api/views',
    summary: 'Your saved views of a list, by name',
    query: ViewsQuery,
    response: Type.Array(SavedView),
    status: 200,
    refusals: [],
  }),
  saveView: defineDashboardRoute({
    ...OWN,
    id: 'saveView',
    method: 'POST',
    path: '/dashboard/api/views',
    summary: 'Save the filters of a list under a name; at most twenty of a list',
    body: SaveViewBody,
    response: SavedView,
    status: 201,
    refusals: [],
  }),
  renameView: defineDashboardRoute({
    ...OWN,
    id: 'renameView',
    method: 'PATCH',
    path: '/dashboard/api/views/{id}',
    summary: 'Rename a saved view',
    params: ViewParams,
    body: RenameViewBody,
    response: SavedView,
    status: 200,
    refusals: ['NOT_FOUND'],
  }),
  deleteView: defineDashboardRoute({
    ...OWN,
    id: 'deleteView',
    method: 'DELETE',
    path: '/dashboard/api/views/{id}',
    summary: 'Delete a saved view',
    params: ViewParams,
    response: SavedView,
    status: 200,
    refusals: ['NOT_FOUND'],
  }),
} as const
